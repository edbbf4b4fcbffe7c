/** Sessions as they are now: claims, edges, and what is open for them. */
import type { SessionState } from '../contract/records.ts';
import { nameFor } from '../domain/story.ts';
import type { Db } from './database.ts';
import { bypassStates } from './bypass.ts';
import { holderOf } from './claims.ts';
import { inProject } from './in-project.ts';
import { openStatuses } from './invocations.ts';
import { namedLineage } from './lineage.ts';
import { lately, nowColumns, sessionNow, type NowColumns } from './session-now.ts';
import type { SessionRow } from './sessions.ts';

export interface SessionFilter {
  /** Null: of any agent. */
  agentId: string | null;
  /** The folder itself, or one below it. */
  project: string | null;
  harness: string | null;
  since: string | null;
  /** Claimed, or at work: see `isAtWork`. */
  activeSince: string | null;
  now: string;
  /** Only what stands at or below this session. */
  below: number | null;
  before: { updatedAt: string; id: number } | null;
  limit: number;
}

/**
 * Of one that we run it is known: something is open on it. Of all others, that they were heard of lately
 * and did not say that they are over.
 */
const isAtWork = `CASE s.kind
  WHEN 'managed' THEN s.id IN (SELECT session_id FROM subagent_sessions WHERE status IN ${openStatuses})
  ELSE s.ended_at IS NULL AND s.updated_at >= :activeSince END`;

export function listSessionRows(db: Db, filter: SessionFilter): SessionRow[] {
  const { before, ...params } = filter;
  return db.all(
    `WITH RECURSIVE under(id) AS (
       SELECT :below WHERE :below IS NOT NULL
       UNION SELECT l.session_id FROM lineage l JOIN under ON l.parent_session_id = under.id)
     SELECT s.* FROM sessions s
     WHERE (:agentId IS NULL OR s.agent_id = :agentId)
       AND (:project IS NULL OR ${inProject})
       AND (:harness IS NULL OR s.harness = :harness)
       AND (:since IS NULL OR s.updated_at >= :since)
       AND (:activeSince IS NULL OR s.claim_expires_at > :now OR ${isAtWork})
       AND (:below IS NULL OR s.id IN (SELECT id FROM under))
       AND (:beforeAt IS NULL OR (s.updated_at, s.id) < (:beforeAt, :beforeId))
     ORDER BY s.updated_at DESC, s.id DESC LIMIT +:limit`,
    { ...params, beforeAt: before?.updatedAt ?? null, beforeId: before?.id ?? null },
  );
}

export function sessionState(db: Db, row: SessionRow, now: string): SessionState {
  const holder = holderOf(row, now);
  const { managed, waiting, ...columns } = db.get<
    { managed: number; waiting: number } & NowColumns
  >(
    `SELECT (SELECT count(*) FROM lineage l JOIN sessions c ON c.id = l.session_id
             WHERE l.parent_session_id = :id AND c.kind = 'managed'
               AND EXISTS (SELECT 1 FROM subagent_sessions i
                           WHERE i.session_id = c.id AND i.status IN ${openStatuses})) AS managed,
            (SELECT count(*) FROM mailbox
             WHERE session_id = :id AND state IN ('queued', 'undelivered')) AS waiting,
            ${nowColumns} FROM sessions s WHERE s.id = :id`,
    { id: row.id },
  )!;
  return {
    key: row.session_key,
    agentId: row.agent_id,
    kind: row.kind,
    harness: row.harness,
    project: row.project,
    title: row.title === null ? null : nameFor(row.title),
    runtimePath: holder ?? 'unknown',
    claimedAt: holder === null ? row.created_at : (row.claimed_at ?? row.created_at),
    expiresAt: holder === null ? null : row.claim_expires_at,
    bypassed: row.bypassed === bypassStates.on,
    ...sessionNow({ ...row, ...columns }, now),
    endedAt: row.ended_at,
    ...namedLineage(db, row),
    openChildren: managed + openReported(db, row.id, now),
    waitingCallbacks: waiting,
    lastActivityAt: row.updated_at,
  };
}

/** Children that programs report, and that are at work as far as is known. */
export function openReported(db: Db, id: number, now: string): number {
  return db.get<{ n: number }>(
    `SELECT count(*) AS n FROM lineage l JOIN sessions c ON c.id = l.session_id
     WHERE l.parent_session_id = :id AND c.kind = 'external'
       AND c.ended_at IS NULL AND c.updated_at >= :lately`,
    { id, lately: lately(now) },
  )!.n;
}

/** Sessions at work, counted: what other agents may know of an agent. */
export function presence(
  db: Db,
  activeSince: string,
  limit: number,
): { agentId: string; harness: string | null; sessions: number; lastActivityAt: string }[] {
  return db.all(
    `SELECT agent_id AS agentId, harness, count(*) AS sessions, max(updated_at) AS lastActivityAt
     FROM sessions s WHERE ${isAtWork}
     GROUP BY agent_id, harness ORDER BY lastActivityAt DESC LIMIT +:limit`,
    { activeSince, limit },
  );
}
