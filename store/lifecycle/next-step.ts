/** A workflow asks what is next. Asking is also the effect by which its messages are closed. */
import {
  controlQueue,
  hostQueue,
  localHostId,
  searchAttributes,
  subAgentWorkflowId,
} from '../../contract/names.ts';
import { limits } from '../../contract/limits.ts';
import type {
  ChildrenPage,
  ChildStart,
  InvocationStep,
  SessionStep,
} from '../../contract/steps.ts';
import { isFinal, type FinalStatus } from '../../contract/words.ts';
import { nameOfStart } from '../../domain/name-of-start.ts';
import { redact } from '../../domain/redact.ts';
import { childStart, nameFor, only, sessionStart, titleOf } from '../../domain/story.ts';
import { clip } from '../../domain/text.ts';
import { findInvocation, openStatuses, selectRows, type InvocationRow } from '../invocations.ts';
import { closePokes, closeSessionPokes, closeSpawn, queueCancel } from '../outbox.ts';
import { namedLineage, type NamedLineage } from '../lineage.ts';
import { withinBytes } from '../page.ts';
import { openReported } from '../session-states.ts';
import { findSession, type SessionRow } from '../sessions.ts';
import { answerStart, promptStart } from '../words.ts';
import type { Tx } from '../write-queue.ts';
import { liveRun } from './claim.ts';

export interface StepSurroundings {
  homeId: string;
  /** Search attributes that the namespace knows. */
  attributes: readonly string[];
  sessionIdleMs: number;
}

export function nextStep(
  tx: Tx,
  around: StepSurroundings,
  id: string,
  started: string[] = [],
  isCancelled = false,
): InvocationStep {
  const row = findInvocation(tx.db, id);
  closeSpawn(tx, id);
  closePokes(tx, id);
  if (!row) return { step: 'done', ending: deleted, attributes: {}, children: [] };
  const isToCancel = row.cancel_requested_at !== null || row.status === 'cancelled';
  // It asks before the request has reached it, or has begun behind it, as after a lost engine.
  if (isToCancel && !isCancelled) queueCancel(tx, id);
  const page = unstarted(tx, around, { invocationId: id }, started);
  // What is cancelled asks once more, when the request is there.
  const isAhead = row.status === 'cancelled' && !isCancelled;
  const isOver = isFinal(row.status) && page.children.length === 0 && !isAhead;
  setEngineState(tx, id, isOver ? 'closed' : 'open');
  if (isFinal(row.status)) return { ...done(tx, around, row), ...page };
  const live = liveRun(tx, id);
  const hostId = live?.host_id ?? row.host_id;
  const details = statusDetails(row);
  if (hostId === null) return { step: 'wait', details, ...page };
  // A host elsewhere does not speak to the engine: the server holds the lease.
  const isElsewhere = hostId !== localHostId;
  return {
    step: 'run',
    queue: isElsewhere ? controlQueue(around.homeId) : hostQueue(around.homeId, hostId),
    summary: clip(`${row.runner_id}: ${nameOf(tx, row)}`, limits.summaryCharsMax),
    details,
    ...page,
  };
}

const nameOf = (tx: Pick<Tx, 'db'>, { id, title }: InvocationRow) =>
  titleOf({ title, prompt: title === null ? promptStart(tx.db, id) : '' });

/** What an external session's workflow is told: whom to start, and whether it may rest. */
export function nextSessionStep(
  tx: Tx,
  around: StepSurroundings,
  agentId: string,
  sessionKey: string,
  started: string[] = [],
): SessionStep {
  closeSessionPokes(tx, agentId, sessionKey);
  const session = findSession(tx.db, agentId, sessionKey);
  if (!session) return { details: 'This session was deleted.', children: [], idleMs: 0 };
  const open = tx.db.get<{ n: number }>(
    `SELECT count(*) AS n FROM subagent_sessions
     WHERE owner_session_id = :id AND status IN ${openStatuses}`,
    { id: session.id },
  )!.n;
  const lineage = namedLineage(tx.db, session);
  return {
    // Those that its program reports are open beside those that it has asked for.
    details: sessionDetails(session, lineage, open + openReported(tx.db, session.id, tx.now)),
    attributes: describeSession(tx, around, session, lineage).attributes,
    ...unstarted(tx, around, { sessionId: session.id }, started),
    idleMs: open > 0 ? null : around.sessionIdleMs,
  };
}

const deleted = { status: 'deleted', error: null, errorCode: null, answer: null } as const;

/** Children whose workflow has not begun, in order. One that has ended already has a workflow still to come. */
function unstarted(
  tx: Tx,
  around: StepSurroundings,
  owner: { invocationId: string } | { sessionId: number },
  started: string[],
): ChildrenPage {
  const rows = tx.db.all<InvocationRow>(
    `${selectRows}
     WHERE ${'invocationId' in owner ? 'owner_invocation_id' : 'owner_session_id'} = :id
       AND engine_state = 'unstarted' AND (status IN ${openStatuses}
         OR EXISTS (SELECT 1 FROM outbox o WHERE o.child_invocation_id = subagent_sessions.id))
     ORDER BY ordinal LIMIT +:limit`,
    {
      id: 'invocationId' in owner ? owner.invocationId : owner.sessionId,
      limit: CHILDREN_MAX + 1 + started.length,
    },
  );
  const known = new Set(started);
  const fresh = rows.filter((row) => !known.has(nameOfStart(startOf(row))));
  const named = fresh.slice(0, CHILDREN_MAX).map((row) => {
    const child = describeStart(tx, around, row);
    return { child, bytes: Buffer.byteLength(JSON.stringify(child)) };
  });
  // One at least: who has none left to start is over.
  const children = withinBytes(named, CHILDREN_BYTES_MAX).map(({ child }) => child);
  return { children, ...(fresh.length > children.length && { hasMore: true }) };
}

/**
 * Named in one step, which is one marker in the history, and started by one workflow task, which holds them again: the
 * engine takes 2 MB of each. The longest names that we accept come to 8 kB a child.
 */
const CHILDREN_BYTES_MAX = 256 * 1024;
const CHILDREN_MAX = 100;

const startOf = (row: InvocationRow) => ({
  invocationId: row.id,
  spawnNo: row.spawn_no,
  acceptedAt: row.created_at,
});

/** How this invocation's workflow is started, by its owner or as a root. */
export function describeStart(
  tx: Pick<Tx, 'db'>,
  around: StepSurroundings,
  row: InvocationRow,
): ChildStart {
  const owner = row.owner_invocation_id
    ? findInvocation(tx.db, row.owner_invocation_id)
    : undefined;
  return childStart(
    {
      id: row.id,
      workflowId: subAgentWorkflowId(row.id),
      spawnNo: row.spawn_no,
      acceptedAt: row.created_at,
      title: row.title,
      prompt: promptStart(tx.db, row.id),
      runnerId: row.runner_id,
      executionMode: row.execution_mode,
      status: row.status,
      sessionKey: row.session_key,
      parentSessionId: row.parent_session_id,
      rootSessionId: row.root_session_id,
      depth: row.depth,
      workspacePath: row.workspace_path,
      specId: row.spec_id,
      askedBy: owner ? `${nameOf(tx, owner)} (${owner.id})` : row.parent_session_id,
    },
    around.attributes,
  );
}

/** How an external session's workflow is started, and what it shows of itself later. */
export function describeSession(
  tx: Pick<Tx, 'db'>,
  around: StepSurroundings,
  session: SessionRow,
  lineage = namedLineage(tx.db, session),
) {
  const { agent_id: agentId, session_key: sessionKey, harness, title, project } = session;
  return sessionStart(
    { agentId, sessionKey, harness, title, project, ...lineage },
    around.attributes,
  );
}

function done(tx: Tx, around: StepSurroundings, row: InvocationRow) {
  const answer = answerStart(tx.db, row.id);
  return {
    step: 'done' as const,
    ending: {
      status: row.status as FinalStatus,
      error: row.error === null ? null : clip(redact(row.error), 500),
      errorCode: row.error_code,
      answer: answer === null ? null : clip(answer, 200),
    },
    attributes: only(around.attributes, { [searchAttributes.status]: row.status }),
  };
}

function setEngineState(tx: Tx, id: string, state: InvocationRow['engine_state']): void {
  tx.db.run(
    `UPDATE subagent_sessions SET engine_state = :state WHERE id = :id AND engine_state <> :state`,
    { id, state },
  );
}

function statusDetails(row: InvocationRow): string {
  const since = row.started_at ? ` since ${row.started_at}` : '';
  return `**${row.status}**${since}${row.cancel_requested_at ? ' · being cancelled' : ''}`;
}

function sessionDetails(
  session: SessionRow,
  { parentSessionId, rule }: NamedLineage,
  open: number,
): string {
  const name = `**${nameFor(session.title ?? session.session_key)}**`;
  const below = parentSessionId === null ? [] : [`below \`${parentSessionId}\` (${rule})`];
  const ended = session.ended_at === null ? [] : [`ended ${session.ended_at}`];
  const kind = session.harness ?? 'external session';
  return [name, kind, `${open} open`, ...below, ...ended].join(' · ');
}
