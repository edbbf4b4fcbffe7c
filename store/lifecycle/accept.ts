/** Accepting an invocation: every rule is checked where it is serialisable, in the writing transaction. */
import { AppError } from '../../contract/errors.ts';
import { hints } from '../../contract/hints.ts';
import type { CommandRunner } from '../../contract/run.ts';
import { isFinal, type ExecutionMode } from '../../contract/words.ts';
import { reach } from '../../faults/reach.ts';
import { admitNext, enqueue, inheritSlot, isBlocked, refuseDeadlock } from '../admission.ts';
import {
  findInvocation,
  isAskedForOn,
  openInvocationOn,
  rowOf,
  runnerOf,
  type InvocationRow,
} from '../invocations.ts';
import { insertLineage, isAtOrAbove, lineageOf } from '../lineage.ts';
import { queueSpawn } from '../outbox.ts';
import { findSession, insertSession, isThere, sessionById, type SessionRow } from '../sessions.ts';
import { beginWait } from '../waits.ts';
import type { Tx } from '../write-queue.ts';
import { checkBounds, type Bounds, type BoundsRequest } from './check-bounds.ts';
import { liveRun } from './claim.ts';

export interface AcceptRequest extends BoundsRequest {
  id: string;
  /** Null where no other call can be the same: its caller has given no key. */
  requestHash: string | null;
  agentId: string;
  runner: CommandRunner;
  prompt: string;
  executionMode: ExecutionMode;
  /** The asking invocation where the token names it; else the one that speaks for the session. */
  askingInvocation: string | null;
  workspacePath: string;
  specId: string | null;
  files: string[] | null;
  title: string | null;
  detached: boolean;
  /** Whether values of `context.env` lie beside the store. */
  hasEnv: boolean;
  /** Set when the asking invocation will stand still until this one has ended. */
  waitId: string | null;
  /** The span of the request, where traces are on. */
  traceparent: string | null;
}

export function accept(tx: Tx, request: AcceptRequest): InvocationRow {
  const known = request.requestHash === null ? undefined : findInvocation(tx.db, request.id);
  if (known) {
    standStillAgain(tx, sameRequest(known, request), request);
    return known;
  }

  requireSessions(tx, request);
  const owner = findOwner(tx, request);
  const bounds = checkBounds(tx, request, owner);
  const session = 'newKey' in request.session ? openSession(tx, request) : request.session;
  checkCycle(tx, request, session, owner);
  const waiter = owner && waits(tx, request, owner.id) ? owner : null;
  if (waiter) refuseDeadlock(tx, waiter);

  const row = insert(tx, request, session, owner, bounds);
  queueSpawn(tx, row);
  const isFirst = 'newKey' in request.session || openInvocationOn(tx.db, session.id)?.id === row.id;
  const lender = waiter && !isBlocked(tx, waiter.id) ? waiter : null;
  if (waiter) {
    beginWait(tx, {
      waitId: request.waitId!,
      waiterId: waiter.id,
      ids: [row.id],
      until: 'all',
    });
  }
  if (isFirst && lender) inheritSlot(tx, row, lender);
  if (isFirst) enqueue(tx, row);
  admitNext(tx);
  tx.note({
    kind: 'accepted',
    invocationId: row.id,
    session: session.session_key,
    runner: row.runner_id,
    mode: row.execution_mode,
  });
  reach('accept uncommitted');
  return findInvocation(tx.db, row.id)!;
}

/** The same call twice is one child; the same key with another body is a mistake. */
function sameRequest(known: InvocationRow, request: AcceptRequest): InvocationRow {
  if (known.request_hash === request.requestHash) return known;
  throw new AppError(
    'idempotency_mismatch',
    `this Idempotency-Key was used for ${known.id} with another request`,
    { hint: hints.newKey.http },
  );
}

/** A SYNC call that comes again after a restart of the server waits as before, and lends its slot again. */
function standStillAgain(tx: Tx, known: InvocationRow, request: AcceptRequest): void {
  const waiterId = known.owner_invocation_id;
  if (waiterId === null || isFinal(known.status) || !waits(tx, request, waiterId)) return;
  beginWait(tx, { waitId: request.waitId!, waiterId, ids: [known.id], until: 'all' });
  admitNext(tx);
}

/** Whether the owner stands still for this call: by its own token, or named by somebody and at work. */
const waits = (tx: Tx, { waitId, askingInvocation }: AcceptRequest, ownerId: string): boolean =>
  waitId !== null && (askingInvocation !== null || liveRun(tx, ownerId) !== undefined);

/** Looked up before this transaction began, they may have been deleted since. */
function requireSessions(tx: Tx, { parent, session }: AcceptRequest): void {
  if (parent && !isThere(tx.db, parent)) {
    throw new AppError('unknown_parent', `there is no session ${parent.session_key} any more`, {
      hint: hints.otherParent.http,
    });
  }
  if (!('newKey' in session) && !isThere(tx.db, session)) {
    throw new AppError('not_found', `there is no session ${session.session_key} any more`);
  }
}

function findOwner(tx: Tx, request: AcceptRequest): InvocationRow | null {
  if (request.parent === null) {
    if (request.executionMode !== 'ASYNC_CALLBACK') return null;
    throw new AppError('parent_required', 'ASYNC_CALLBACK needs a parent session to call back', {
      hint: hints.nameParent.http,
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
      { hint: hints.otherParent.http },
    );
  }
  if (request.executionMode === 'ASYNC_CALLBACK' && !runnerOf(owner).turns) {
    throw new AppError(
      'runner_single_turn',
      `the runner ${owner.runner_id} of ${owner.id} takes one turn only: no callback could reach it`,
      { hint: hints.singleTurn.http },
    );
  }
  return owner;
}

function openSession(tx: Tx, request: AcceptRequest): SessionRow {
  const sessionKey = (request.session as { newKey: string }).newKey;
  if (findSession(tx.db, request.agentId, sessionKey)) {
    throw new AppError(
      'idempotency_mismatch',
      `this Idempotency-Key was used for an invocation that was deleted; its session ${sessionKey} is still there`,
      { hint: 'Use a new key, or send a message to that session.' },
    );
  }
  const session = insertSession(tx, {
    agentId: request.agentId,
    sessionKey,
    kind: 'managed',
    harness: null,
    project: request.workspacePath,
    title: request.title,
  });
  if (request.parent) insertLineage(tx, session, request.parent, 'spawned');
  return session;
}

/** Work sent to oneself, to an ancestor or to whoever waits for this work would wait for itself. */
function checkCycle(
  tx: Tx,
  request: AcceptRequest,
  session: SessionRow,
  owner: InvocationRow | null,
): void {
  if (!request.parent) return;
  const isAbove =
    isAtOrAbove(tx.db, session.id, request.parent.id) ||
    (owner !== null && isAskedForOn(tx.db, session.id, owner.id));
  if (!isAbove) return;
  throw new AppError('cycle', `${session.session_key} stands above the session that asks`, {
    hint: 'Send to a session that it has asked for, or to another one beside it.',
  });
}

const insertion = `INSERT INTO subagent_sessions (
     id, runner_id, created_at, workspace_path, spec_id, prompt, files_json, ordinal, agent_id,
     session_key, session_id, title, request_hash, execution_mode, parent_session_id,
     root_session_id, owner_invocation_id, owner_session_id, depth, detached, runner_json,
     max_depth, max_children, deadline_at, traceparent, has_env)
   VALUES (
     :id, :runnerId, :now, :workspacePath, :specId, :prompt, :files,
     (SELECT coalesce(max(ordinal), 0) + 1 FROM subagent_sessions), :agentId,
     :sessionKey, :sessionId, :title, :requestHash, :mode, :parentKey,
     :rootKey, :ownerId, :ownerSession, :depth, :detached, :runner,
     :maxDepth, :maxChildren, :deadlineAt, :traceparent, :hasEnv)
   RETURNING ${rowOf('subagent_sessions')}`;

function insert(
  tx: Tx,
  request: AcceptRequest,
  session: SessionRow,
  owner: InvocationRow | null,
  bounds: Bounds,
): InvocationRow {
  const { parent } = request;
  const above = lineageOf(tx.db, parent?.id ?? session.id);
  const root = above ? sessionById(tx.db, above.root_session_id) : parent;
  return tx.db.get(insertion, {
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
    // The column is from before there could be none.
    requestHash: request.requestHash ?? '',
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
    traceparent: request.traceparent,
    hasEnv: request.hasEnv ? 1 : 0,
  })!;
}
