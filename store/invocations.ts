/** Rows of `subagent_sessions`. What may hold megabytes, prompt and answer, is read apart: store/words.ts. */
import type { EndingErrorCode } from '../contract/errors.ts';
import type { CommandRunner } from '../contract/run.ts';
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
  files_json: string | null;
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

const names = [
  'id',
  'runner_id',
  'status',
  'created_at',
  'completed_at',
  'workspace_path',
  'spec_id',
  'files_json',
  'token_input',
  'token_output',
  'duration_ms',
  'error',
  'ordinal',
  'agent_id',
  'session_key',
  'session_id',
  'title',
  'request_hash',
  'execution_mode',
  'parent_session_id',
  'root_session_id',
  'owner_invocation_id',
  'owner_session_id',
  'depth',
  'detached',
  'runner_json',
  'max_depth',
  'max_children',
  'deadline_at',
  'started_at',
  'error_code',
  'error_hint',
  'cancel_requested_at',
  'cancel_code',
  'cancel_reason',
  'queued_at_ordinal',
  'queue_class',
  'host_id',
  'engine_state',
  'spawn_no',
  'traceparent',
  'has_env',
] as const satisfies readonly (keyof InvocationRow)[];

/** The columns of a row, of the table under this name. */
export const rowOf = (table: string) => names.map((name) => `${table}.${name}`).join(', ');
export const selectRows = `SELECT ${names.join(', ')} FROM subagent_sessions`;

/** As the partial index on them spells it. */
export const openStatuses = `('pending', 'running', 'waiting', 'input_required')`;
export const finals = `(${finalStatuses.map((status) => `'${status}'`).join(', ')})`;

export function findInvocation(db: Db, id: string): InvocationRow | undefined {
  return db.get(`${selectRows} WHERE id = :id`, { id });
}

/** Open ones whose workflow has asked for its first step, parents first. */
export function begunInvocations(db: Db, limit = -1): InvocationRow[] {
  return db.all(
    `${selectRows} WHERE status IN ${openStatuses} AND engine_state = 'open'
     ORDER BY depth, ordinal LIMIT +:limit`,
    { limit },
  );
}

/** Null when there is none. */
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
    `${selectRows} WHERE session_id = :sessionId AND status NOT IN ${finals}
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
