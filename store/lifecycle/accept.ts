/** Accepting an invocation: every rule is checked where it is serialisable, in the writing transaction. */
import { AppError } from '../../contract/errors.ts';
import type { CommandRunner } from '../../contract/run.ts';
import { isFinal, type ExecutionMode } from '../../contract/words.ts';
import { admitNext, enqueue, inheritSlot, isBlocked, refuseDeadlock } from '../admission.ts';
import {
  countOpenChildren,
  findInvocation,
  openInvocationOn,
  runnerOf,
  type InvocationRow,
} from '../invocations.ts';
import { queueSpawn } from '../outbox.ts';
import {
  insertLineage,
  insertSession,
  isAtOrAbove,
  lineageOf,
  sessionById,
  type SessionRow,
} from '../sessions.ts';
import { beginWait } from '../waits.ts';
import type { Tx } from '../write-queue.ts';

export interface AcceptRequest {
  id: string;
  requestHash: string;
  agentId: string;
  runner: CommandRunner;
  prompt: string;
  executionMode: ExecutionMode;
  /** The asking session; null for a root. */
  parent: SessionRow | null;
  /** The asking invocation where the token names it; else the one that speaks for the session. */
  askingInvocation: string | null;
  /** A session that is there already, for a message sent to it; else a new one with this key. */
  session: SessionRow | { newKey: string };
  workspacePath: string;
  specId: string | null;
  files: string[] | null;
  title: string | null;
  detached: boolean;
  maxDepth: number;
  maxChildren: number;
  wallSeconds: number;
  /** Set when the asking invocation will stand still until this one has ended. */
  waitId: string | null;
}

export function accept(tx: Tx, request: AcceptRequest): InvocationRow {
  const known = findInvocation(tx.db, request.id);
  if (known) return sameRequest(known, request);

  const owner = findOwner(tx, request);
  const bounds = checkBounds(tx, request, owner);
  const session = 'newKey' in request.session ? openSession(tx, request) : request.session;
  checkCycle(tx, request, session);
  if (owner && request.waitId) refuseDeadlock(tx, owner);

  const row = insert(tx, request, session, owner, bounds);
  queueSpawn(tx, row);
  const isFirst = openInvocationOn(tx.db, session.id)?.id === row.id;
  const lendsSlot = owner !== null && request.waitId !== null && !isBlocked(tx, owner.id);
  if (owner && request.waitId) {
    beginWait(tx, {
      waitId: request.waitId,
      waiterId: owner.id,
      ids: [row.id],
      until: 'all',
    });
  }
  if (isFirst && lendsSlot) inheritSlot(tx, row, owner);
  if (isFirst) enqueue(tx, row);
  admitNext(tx);
  return findInvocation(tx.db, row.id)!;
}

/** The same call twice is one child; the same key with another body is a mistake. */
function sameRequest(known: InvocationRow, request: AcceptRequest): InvocationRow {
  if (known.request_hash === request.requestHash) return known;
  throw new AppError(
    'idempotency_mismatch',
    `this Idempotency-Key was used for ${known.id} with another request`,
    { hint: 'Use a new key for a new request.' },
  );
}

function findOwner(tx: Tx, request: AcceptRequest): InvocationRow | null {
  if (request.parent === null) {
    if (request.executionMode !== 'ASYNC_CALLBACK') return null;
    throw new AppError('parent_required', 'ASYNC_CALLBACK needs a parent session to call back', {
      hint: 'Name parentSessionId (or X-Agent-Session-Id), or use ASYNC_POLL.',
    });
  }
  if (request.parent.kind === 'external') return null;
  const owner = request.askingInvocation
    ? findInvocation(tx.db, request.askingInvocation)
    : openInvocationOn(tx.db, request.parent.id);
  if (!owner || isFinal(owner.status) || owner.cancel_requested_at !== null) {
    throw new AppError(
      'parent_final',
      `${request.parent.session_key} has ended or is being cancelled: it can ask for nothing more`,
    );
  }
  if (request.executionMode === 'ASYNC_CALLBACK' && !runnerOf(owner).turns) {
    throw new AppError(
      'runner_single_turn',
      `the runner ${owner.runner_id} of ${owner.id} takes one turn only: no callback could reach it`,
      { hint: 'Use SYNC or ASYNC_POLL, or give the runner "turns": true.' },
    );
  }
  return owner;
}

interface Bounds {
  depth: number;
  maxDepth: number;
  maxChildren: number;
  deadlineAt: string;
}

/** Limits hold for the whole tree: a child can tighten what its parent has, never widen it. */
function checkBounds(tx: Tx, request: AcceptRequest, owner: InvocationRow | null): Bounds {
  const { parent } = request;
  const depth = owner ? owner.depth + 1 : parent ? sessionDepth(tx, parent) + 1 : 0;
  const allowedDepth = owner?.max_depth ?? request.maxDepth;
  if (depth > allowedDepth) {
    throw new AppError('depth_exceeded', `depth ${depth} is over the limit of ${allowedDepth}`, {
      hint: 'Do this work in the present agent, or let an agent higher up ask for it.',
    });
  }
  const allowedChildren = owner?.max_children ?? request.maxChildren;
  const open = parent
    ? countOpenChildren(tx.db, owner ? { invocationId: owner.id } : { sessionId: parent.id })
    : 0;
  if (parent && open >= allowedChildren) {
    throw new AppError(
      'children_exceeded',
      `${parent.session_key} has ${open} open children; the limit is ${allowedChildren}`,
      { hint: 'Wait until some have ended, or cancel some.' },
    );
  }
  const wall = new Date(Date.parse(tx.now) + request.wallSeconds * 1000).toISOString();
  return {
    depth,
    maxDepth: Math.min(request.maxDepth, allowedDepth),
    maxChildren: Math.min(request.maxChildren, allowedChildren),
    deadlineAt: owner && owner.deadline_at < wall ? owner.deadline_at : wall,
  };
}

const sessionDepth = (tx: Tx, session: SessionRow) => lineageOf(tx.db, session.id)?.depth ?? 0;

function openSession(tx: Tx, request: AcceptRequest): SessionRow {
  const session = insertSession(tx, {
    agentId: request.agentId,
    sessionKey: (request.session as { newKey: string }).newKey,
    kind: 'managed',
    harness: null,
    project: request.workspacePath,
    title: request.title,
  });
  if (request.parent) insertLineage(tx, session, request.parent, 'spawned');
  return session;
}

/** Work sent to oneself or to an ancestor would wait for itself. */
function checkCycle(tx: Tx, request: AcceptRequest, session: SessionRow): void {
  if (!request.parent || !isAtOrAbove(tx.db, session.id, request.parent.id)) return;
  throw new AppError('cycle', `${session.session_key} stands above the session that asks`);
}

function insert(
  tx: Tx,
  request: AcceptRequest,
  session: SessionRow,
  owner: InvocationRow | null,
  bounds: Bounds,
): InvocationRow {
  const { parent } = request;
  const above = parent ? lineageOf(tx.db, parent.id) : undefined;
  const root = above ? sessionById(tx.db, above.root_session_id) : parent;
  tx.db.run(
    `INSERT INTO subagent_sessions (
       id, runner_id, created_at, workspace_path, spec_id, prompt, files_json, ordinal, agent_id,
       session_key, session_id, title, request_hash, execution_mode, parent_session_id,
       root_session_id, owner_invocation_id, owner_session_id, depth, detached, runner_json,
       max_depth, max_children, deadline_at)
     VALUES (
       :id, :runnerId, :now, :workspacePath, :specId, :prompt, :files,
       (SELECT coalesce(max(ordinal), 0) + 1 FROM subagent_sessions), :agentId,
       :sessionKey, :sessionId, :title, :requestHash, :mode, :parentKey,
       :rootKey, :ownerId, :ownerSession, :depth, :detached, :runner,
       :maxDepth, :maxChildren, :deadlineAt)`,
    {
      id: request.id,
      runnerId: request.runner.id,
      now: tx.now,
      workspacePath: request.workspacePath,
      specId: request.specId,
      prompt: request.prompt,
      files: request.files === null ? null : JSON.stringify(request.files),
      agentId: request.agentId,
      sessionKey: session.session_key,
      sessionId: session.id,
      title: request.title,
      requestHash: request.requestHash,
      mode: request.executionMode,
      parentKey: parent?.session_key ?? null,
      rootKey: root?.session_key ?? session.session_key,
      ownerId: owner?.id ?? null,
      ownerSession: owner === null && parent ? parent.id : null,
      depth: bounds.depth,
      detached: request.detached ? 1 : 0,
      runner: JSON.stringify(request.runner),
      maxDepth: bounds.maxDepth,
      maxChildren: bounds.maxChildren,
      deadlineAt: bounds.deadlineAt,
    },
  );
  return findInvocation(tx.db, request.id)!;
}
