/** Rows of `subagent_sessions`, and the record that the outside sees. */
import type { ListSubagentsInput } from '../contract/requests.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import type { EndingErrorCode } from '../contract/errors.ts';
import { subAgentWorkflowId } from '../contract/names.ts';
import type { CommandRunner } from '../contract/run.ts';
import { withinBytes } from './page.ts';
import { finalStatuses, type ExecutionMode, type Status } from '../contract/words.ts';
import type { Db } from './database.ts';

export interface InvocationRow {
  id: string;
  runner_id: string;
  status: Status;
  created_at: string;
  completed_at: string | null;
  workspace_path: string;
  spec_id: string | null;
  prompt: string;
  files_json: string | null;
  result_content: string | null;
  token_input: number | null;
  token_output: number | null;
  duration_ms: number | null;
  error: string | null;
  ordinal: number;
  agent_id: string;
  session_key: string;
  session_id: number;
  title: string | null;
  request_hash: string;
  execution_mode: ExecutionMode;
  parent_session_id: string | null;
  root_session_id: string;
  owner_invocation_id: string | null;
  owner_session_id: number | null;
  depth: number;
  detached: number;
  runner_json: string;
  max_depth: number;
  max_children: number;
  deadline_at: string;
  started_at: string | null;
  error_code: EndingErrorCode | null;
  error_hint: string | null;
  cancel_requested_at: string | null;
  cancel_code: EndingErrorCode | null;
  cancel_reason: string | null;
  queued_at_ordinal: number | null;
  queue_class: number;
  host_id: string | null;
  engine_state: 'unstarted' | 'open' | 'closed';
  spawn_no: number;
  traceparent: string | null;
  has_env: number;
}

/** As the partial index on them spells it. */
export const openStatuses = `('pending', 'running', 'waiting', 'input_required')`;
const finals = `(${finalStatuses.map((status) => `'${status}'`).join(', ')})`;

export function findInvocation(db: Db, id: string): InvocationRow | undefined {
  return db.get('SELECT * FROM subagent_sessions WHERE id = :id', { id });
}

/** Open ones whose workflow has asked for its first step, parents first. */
export function begunInvocations(db: Db, limit = -1): InvocationRow[] {
  return db.all(
    `SELECT * FROM subagent_sessions WHERE status IN ${openStatuses} AND engine_state = 'open'
     ORDER BY depth, ordinal LIMIT :limit`,
    { limit },
  );
}

/** Null when there is none. Whole rows may hold prompts of many megabytes; this looks at none of them. */
export function statusOf(db: Db, id: string): Status | null {
  const row = db.get<{ status: Status }>('SELECT status FROM subagent_sessions WHERE id = :id', {
    id,
  });
  return row?.status ?? null;
}

export function runnerOf(row: InvocationRow): CommandRunner {
  return JSON.parse(row.runner_json) as CommandRunner;
}

/** The invocation that speaks for a session now: the first on it that has not ended. */
export function openInvocationOn(db: Db, sessionId: number): InvocationRow | undefined {
  return db.get(
    `SELECT * FROM subagent_sessions WHERE session_id = :sessionId AND status NOT IN ${finals}
     ORDER BY ordinal LIMIT 1`,
    { sessionId },
  );
}

/** By the index on open ones alone. */
export function openByStatus(db: Db): Partial<Record<Status, number>> {
  const rows = db.all<{ status: Status; n: number }>(
    `SELECT status, count(*) AS n FROM subagent_sessions WHERE status IN ${openStatuses} GROUP BY status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** How many wait for a slot. */
export function queueLength(db: Db): number {
  return db.get<{ n: number }>(
    'SELECT count(*) AS n FROM subagent_sessions WHERE queued_at_ordinal IS NOT NULL',
  )!.n;
}

export function countOpenChildren(
  db: Db,
  owner: { invocationId: string } | { sessionId: number },
): number {
  const row =
    'invocationId' in owner
      ? db.get<{ n: number }>(
          `SELECT count(*) AS n FROM subagent_sessions
           WHERE owner_invocation_id = :id AND status NOT IN ${finals}`,
          { id: owner.invocationId },
        )
      : db.get<{ n: number }>(
          `SELECT count(*) AS n FROM subagent_sessions
           WHERE owner_session_id = :id AND status NOT IN ${finals}`,
          { id: owner.sessionId },
        );
  return row!.n;
}

/** Whether `id` is `ancestor` or was asked for, at any distance, by it. */
export function isInSubtree(db: Db, ancestor: string, id: string): boolean {
  return (
    db.get(
      `WITH RECURSIVE up(id, owner) AS (
         SELECT id, owner_invocation_id FROM subagent_sessions WHERE id = :id
         UNION SELECT s.id, s.owner_invocation_id FROM subagent_sessions s JOIN up ON s.id = up.owner)
       SELECT 1 AS yes FROM up WHERE id = :ancestor`,
      { ancestor, id },
    ) !== undefined
  );
}

/** Whether an invocation, or one that stands above it, is work of this session. */
export function isAskedForOn(db: Db, sessionId: number, id: string): boolean {
  return (
    db.get(
      `WITH RECURSIVE up(id, owner, session) AS (
         SELECT id, owner_invocation_id, session_id FROM subagent_sessions WHERE id = :id
         UNION SELECT s.id, s.owner_invocation_id, s.session_id
           FROM subagent_sessions s JOIN up ON s.id = up.owner)
       SELECT 1 AS yes FROM up WHERE session = :sessionId`,
      { id, sessionId },
    ) !== undefined
  );
}

interface Sized {
  id: string;
  bytes: number;
}

/** What a record of the row would bring, apart from a few hundred bytes that all have. */
const rowBytes = 'octet_length(prompt) + coalesce(octet_length(result_content), 0)';

/** Those of them for which one answer has no room, when the ended come first: they are what is waited for. */
export function beyondBytes(db: Db, ids: string[]): string[] {
  const found = db.all<Sized>(
    `SELECT s.id, ${rowBytes} AS bytes FROM subagent_sessions s
     JOIN json_each(:ids) AS asked ON s.id = asked.value
     ORDER BY s.status NOT IN ${finals}, asked.key`,
    { ids: JSON.stringify(ids) },
  );
  return found.slice(withinBytes(found).length).map(({ id }) => id);
}

/** Newest first. The cursor is the ordinal of the last one seen. `below` keeps to one subtree. */
export function listInvocations(
  db: Db,
  filter: Omit<ListSubagentsInput, 'cursor' | 'limit'> & {
    before: number | null;
    limit: number;
    below: string | null;
  },
): { rows: InvocationRow[]; hasMore: boolean } {
  const columns: [unknown, string][] = [
    [filter.runnerId, 'runner_id = :runnerId'],
    [filter.status, 'status = :status'],
    [filter.executionMode, 'execution_mode = :executionMode'],
    [filter.specId, 'spec_id = :specId'],
    [filter.parentSessionId, 'parent_session_id = :parentSessionId'],
    [filter.rootSessionId, 'root_session_id = :rootSessionId'],
    [filter.agentId, 'agent_id = :agentId'],
    [filter.since, 'created_at >= :since'],
    [filter.until, 'created_at < :until'],
    [filter.before, 'ordinal < :before'],
    [filter.below, 'id IN (SELECT id FROM below)'],
  ];
  const where = columns.filter(([value]) => value !== undefined && value !== null);
  const below = filter.below
    ? `WITH RECURSIVE below(id) AS (
         SELECT id FROM subagent_sessions WHERE owner_invocation_id = :below
         UNION SELECT s.id FROM subagent_sessions s JOIN below ON s.owner_invocation_id = below.id)`
    : '';
  const found = db.all<Sized>(
    `${below} SELECT id, ${rowBytes} AS bytes
     FROM subagent_sessions
     ${where.length > 0 ? `WHERE ${where.map(([, sql]) => sql).join(' AND ')}` : ''}
     ORDER BY ordinal DESC LIMIT :limit`,
    {
      runnerId: filter.runnerId ?? null,
      status: filter.status ?? null,
      executionMode: filter.executionMode ?? null,
      specId: filter.specId ?? null,
      parentSessionId: filter.parentSessionId ?? null,
      rootSessionId: filter.rootSessionId ?? null,
      agentId: filter.agentId ?? null,
      since: filter.since ? new Date(filter.since).toISOString() : null,
      until: filter.until ? new Date(filter.until).toISOString() : null,
      before: filter.before,
      below: filter.below,
      limit: filter.limit + 1,
    },
  );
  const page = withinBytes(found.slice(0, filter.limit));
  return {
    rows: page.map(({ id }) => findInvocation(db, id)!),
    hasMore: page.length < found.length,
  };
}

/** What is only known outside the row: why it is pending, and where Temporal UI shows it. */
export interface RecordSurroundings {
  pendingReason: string | null;
  temporalUrl: (workflowId: string) => string | null;
}

export function invocationRecord(row: InvocationRow, around: RecordSurroundings): SubAgentRecord {
  const workflowId = subAgentWorkflowId(row.id);
  return {
    id: row.id,
    runnerId: row.runner_id,
    status: row.status,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    context: {
      workspacePath: row.workspace_path,
      specId: row.spec_id,
      prompt: row.prompt,
      files: row.files_json === null ? null : (JSON.parse(row.files_json) as string[]),
    },
    result: resultOf(row),
    error: row.error,
    errorCode: row.error_code,
    errorHint: row.error_hint,
    pendingReason: around.pendingReason,
    title: row.title,
    agentId: row.agent_id,
    sessionKey: row.session_key,
    executionMode: row.execution_mode,
    parentSessionId: row.parent_session_id,
    rootSessionId: row.root_session_id,
    depth: row.depth,
    detached: row.detached === 1,
    workflowId,
    temporalUrl: around.temporalUrl(workflowId),
  };
}

function resultOf(row: InvocationRow): SubAgentRecord['result'] {
  if (row.completed_at === null || row.result_content === null) return null;
  const hasUsage = row.token_input !== null && row.token_output !== null;
  return {
    content: row.result_content,
    tokenUsage: hasUsage ? { input: row.token_input!, output: row.token_output! } : null,
    durationMs: row.duration_ms ?? 0,
  };
}
