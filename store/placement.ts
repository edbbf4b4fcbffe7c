/** Where work belongs: what has left files and conversations on one machine goes on there. */
import type { Db } from './database.ts';
import { findHost, type HostRow } from './hosts.ts';
import { rowOf, type InvocationRow } from './invocations.ts';

/**
 * The host that an invocation `s` is bound to, as SQL; null where any will do. A session goes on where
 * it has spoken before, and who works in its parent's workspace works beside its parent. A run that
 * was lost binds to nothing, and neither does a host that was forgotten.
 */
const boundHostSql = `coalesce(
  (SELECT r.host_id FROM subagent_sessions p JOIN runs r ON r.invocation_id = p.id
     JOIN hosts h ON h.id = r.host_id
   WHERE p.session_id = s.session_id AND r.state = 'ended'
   ORDER BY r.claimed_at DESC LIMIT 1),
  (SELECT r.host_id FROM subagent_sessions o JOIN runs r ON r.invocation_id = o.id
     JOIN hosts h ON h.id = r.host_id
   WHERE o.id = s.owner_invocation_id AND o.workspace_path = s.workspace_path AND r.state <> 'lost'
   ORDER BY r.claimed_at DESC LIMIT 1))`;

export function boundHost(db: Db, row: InvocationRow): HostRow | undefined {
  const found = db.get<{ bound: string | null }>(
    `SELECT ${boundHostSql} AS bound FROM subagent_sessions s WHERE s.id = :id`,
    { id: row.id },
  );
  return found?.bound ? findHost(db, found.bound) : undefined;
}

/** The first in the queue that one of these hosts may take. `bound` is null where any of them may. */
export function nextInQueue(
  db: Db,
  freeHosts: string[],
): { id: string; bound: string | null } | undefined {
  return db.get(
    `SELECT s.id, ${boundHostSql} AS bound FROM subagent_sessions s
     WHERE s.queued_at_ordinal IS NOT NULL
       AND (bound IS NULL OR bound IN (SELECT value FROM json_each(:free)))
     ORDER BY s.queue_class, s.queued_at_ordinal LIMIT 1`,
    { free: JSON.stringify(freeHosts) },
  );
}

/** Work in the queue for which only a host will do that has not been heard of since then. */
export function boundToSilent(db: Db, before: string): (InvocationRow & { bound: string })[] {
  return db.all(
    `SELECT q.* FROM (SELECT ${rowOf('s')}, ${boundHostSql} AS bound FROM subagent_sessions s
                      WHERE s.queued_at_ordinal IS NOT NULL) q
     JOIN hosts h ON h.id = q.bound WHERE h.last_seen_at <= :before`,
    { before },
  );
}
