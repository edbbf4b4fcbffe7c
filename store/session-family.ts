/** Who stands above and below a session, for those who look for something there. */
import { limits } from '../contract/limits.ts';
import type { Db } from './database.ts';
import type { SessionRow } from './sessions.ts';

/** The session itself and what is below it, the newest first where there are too many. */
export function sessionsFrom(
  db: Db,
  id: number,
  most: number = limits.searchSessionsMax,
): number[] {
  return db
    .all<{ id: number }>(
      `WITH RECURSIVE below(id) AS (
         SELECT :id UNION SELECT l.session_id FROM lineage l JOIN below ON l.parent_session_id = below.id)
       SELECT id FROM below ORDER BY id DESC LIMIT +:most`,
      { id, most },
    )
    .map((row) => row.id);
}

export function sessionsAbove(db: Db, id: number): number[] {
  return db
    .all<{ id: number }>(
      `WITH RECURSIVE up(id) AS (
         SELECT parent_session_id FROM lineage WHERE session_id = :id
         UNION SELECT l.parent_session_id FROM lineage l JOIN up ON l.session_id = up.id)
       SELECT id FROM up LIMIT ${limits.searchSessionsMax}`,
      { id },
    )
    .map((row) => row.id);
}

/** At any depth: sub-agents that its own program has reported in it, and whose end nobody has told. */
export function openSubagents(db: Db, id: number): SessionRow[] {
  return db.all(
    `WITH RECURSIVE inside(id) AS (
       SELECT :id UNION SELECT l.session_id FROM lineage l JOIN inside ON l.parent_session_id = inside.id
       WHERE l.rule IN ('subagent_start', 'parent_agent'))
     SELECT s.* FROM sessions s JOIN inside ON inside.id = s.id
     WHERE s.id <> :id AND s.kind = 'external' AND s.ended_at IS NULL ORDER BY s.id`,
    { id },
  );
}
