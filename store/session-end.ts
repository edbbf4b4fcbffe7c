import type { Db } from './database.ts';
import { openStatuses } from './invocations.ts';
import type { SessionRow } from './sessions.ts';

/** When it ended, as far as it has: one that we run when nothing is open on it any more. */
export function endOf(db: Db, session: SessionRow): string | null {
  if (session.kind === 'external') return session.ended_at;
  const open = db.get(
    `SELECT 1 FROM subagent_sessions WHERE session_id = :id AND status IN ${openStatuses} LIMIT 1`,
    { id: session.id },
  );
  return open === undefined ? session.updated_at : null;
}
