/** Pages of invocations, by what is asked for. */
import type { ListSubagentsInput } from '../contract/requests.ts';
import type { Db } from './database.ts';
import { inProject } from './in-project.ts';
import { rowOf, type InvocationRow } from './invocations.ts';
import { withinBytes } from './page.ts';
import { wordBytes, type Sized } from './words.ts';

/** Newest first. The cursor is the ordinal of the last one seen. `below` keeps to one subtree. */
export function listInvocations(
  db: Db,
  filter: Omit<ListSubagentsInput, 'cursor' | 'limit'> & {
    before: number | null;
    limit: number;
    below: string | null;
    /** Only those whose session works in this folder or below it. */
    project: string | null;
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
    [filter.project, `session_id IN (SELECT s.id FROM sessions s WHERE ${inProject})`],
    [filter.below, 'id IN (SELECT id FROM below)'],
  ];
  const where = columns.filter(([value]) => value !== undefined && value !== null);
  const below = filter.below
    ? `WITH RECURSIVE below(id) AS (
         SELECT id FROM subagent_sessions WHERE owner_invocation_id = :below
         UNION SELECT s.id FROM subagent_sessions s JOIN below ON s.owner_invocation_id = below.id)`
    : '';
  const found = db.all<InvocationRow & Sized>(
    `${below} SELECT ${rowOf('s')}, ${wordBytes} AS bytes
     FROM subagent_sessions s
     ${where.length > 0 ? `WHERE ${where.map(([, sql]) => sql).join(' AND ')}` : ''}
     ORDER BY ordinal DESC LIMIT +:limit`,
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
      project: filter.project,
      limit: filter.limit + 1,
    },
  );
  const rows = withinBytes(found.slice(0, filter.limit));
  return { rows, hasMore: rows.length < found.length };
}
