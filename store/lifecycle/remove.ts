/** Deleting: refused while anything below runs, else everything below goes, and is counted. */
import { AppError } from '../../contract/errors.ts';
import { hints } from '../../contract/hints.ts';
import type { Deleted } from '../../contract/records.ts';
import { isFinal } from '../../contract/words.ts';
import { admitNext } from '../admission.ts';
import { rowOf, type InvocationRow } from '../invocations.ts';
import { queuePoke } from '../outbox.ts';
import { isThere, sessionById, type SessionRow } from '../sessions.ts';
import type { Tx } from '../write-queue.ts';

/** Refuses, by throwing, what whoever asks may not take: then all of it stays. */
type RequireMine = (taken: SessionRow) => void;

/** One invocation with all that was asked for below it; a session goes with its last invocation. */
export function removeInvocation(tx: Tx, id: string, requireMine: RequireMine): Deleted {
  const invocations = tx.db.all<InvocationRow>(
    `WITH RECURSIVE below(id) AS (
       SELECT :id UNION SELECT s.id FROM subagent_sessions s JOIN below ON s.owner_invocation_id = below.id)
     SELECT ${rowOf('s')} FROM below JOIN subagent_sessions s ON s.id = below.id`,
    { id },
  );
  if (invocations.length === 0) throw new AppError('not_found', `there is no invocation ${id}`);
  for (const row of invocations) requireMine(sessionById(tx.db, row.session_id));
  return remove(tx, invocations.map(requireEnded), []);
}

export function removeSession(tx: Tx, session: SessionRow, requireMine: RequireMine): Deleted {
  if (!isThere(tx.db, session)) {
    throw new AppError('not_found', `there is no session ${session.session_key}`);
  }
  const sessions = tx.db
    .all<{ id: number }>(
      `WITH RECURSIVE below(id) AS (
         SELECT :id UNION SELECT l.session_id FROM lineage l JOIN below ON l.parent_session_id = below.id)
       SELECT id FROM below`,
      { id: session.id },
    )
    .map((row) => row.id);
  const invocations = tx.db.all<InvocationRow>(
    `WITH RECURSIVE below(id) AS (
       SELECT id FROM subagent_sessions WHERE session_id IN (SELECT value FROM json_each(:sessions))
         OR owner_session_id IN (SELECT value FROM json_each(:sessions))
       UNION SELECT s.id FROM subagent_sessions s JOIN below ON s.owner_invocation_id = below.id)
     SELECT ${rowOf('s')} FROM below JOIN subagent_sessions s ON s.id = below.id`,
    { sessions: JSON.stringify(sessions) },
  );
  // First of all: what is at work out of reach is not told either.
  const touched = new Set([...sessions, ...invocations.map((row) => row.session_id)]);
  for (const id of touched) requireMine(sessionById(tx.db, id));
  return remove(tx, invocations.map(requireEnded), sessions);
}

function requireEnded(row: InvocationRow): string {
  if (isFinal(row.status)) return row.id;
  throw new AppError('still_running', `${row.id} is ${row.status}`, {
    hint: hints.stillRunning.http,
  });
}

function remove(tx: Tx, ids: string[], sessions: number[]): Deleted {
  const params = { ids: JSON.stringify(ids) };
  const among = '(SELECT value FROM json_each(:ids))';
  const touched = tx.db
    .all<{ id: number }>(
      `SELECT DISTINCT session_id AS id FROM subagent_sessions WHERE id IN ${among}`,
      params,
    )
    .map((row) => row.id);
  const known = tx.db.all<{ id: string }>(
    `SELECT id FROM subagent_sessions WHERE id IN ${among} AND engine_state = 'open'`,
    params,
  );
  const callbacks = tx.db.run(`DELETE FROM mailbox WHERE invocation_id IN ${among}`, params);
  const ownTurns = tx.db.run(`DELETE FROM turns WHERE invocation_id IN ${among}`, params);
  tx.db.run(
    `DELETE FROM outbox WHERE child_invocation_id IN ${among}
       OR (child_invocation_id IS NULL AND target_invocation_id IN ${among})`,
    params,
  );
  // Their workflows may not have heard yet that it is over; asking what is next, they find nothing.
  for (const { id } of known) queuePoke(tx, id);
  tx.db.run(`DELETE FROM waits WHERE waiter_id IN ${among} OR invocation_id IN ${among}`, params);
  const invocations = tx.db.run(`DELETE FROM subagent_sessions WHERE id IN ${among}`, params);
  const gone = removeSessions(tx, [...new Set([...touched, ...sessions])], sessions);
  // A later message to its session was bound to where it had run.
  admitNext(tx);
  return {
    ...gone,
    turns: gone.turns + ownTurns,
    invocations,
    callbacks: gone.callbacks + callbacks,
  };
}

/** Managed sessions on which and below which nothing is left go too; others only when asked for. */
function removeSessions(tx: Tx, candidates: number[], asked: number[]) {
  const gone = { sessions: 0, turns: 0, callbacks: 0 };
  for (const id of deepestFirst(tx, candidates)) {
    if (!asked.includes(id) && isInUse(tx, id)) continue;
    gone.turns += tx.db.run('DELETE FROM turns WHERE session_id = :id', { id });
    gone.callbacks += tx.db.run('DELETE FROM mailbox WHERE session_id = :id', { id });
    // Messages to its workflow stay: it may be open, and learns by them that it is over.
    gone.sessions += tx.db.run('DELETE FROM sessions WHERE id = :id', { id });
    tx.note({ kind: 'moved', sessionId: id });
  }
  return gone;
}

function deepestFirst(tx: Tx, ids: number[]): number[] {
  return tx.db
    .all<{ id: number }>(
      `SELECT s.id FROM sessions s LEFT JOIN lineage l ON l.session_id = s.id
       WHERE s.id IN (SELECT value FROM json_each(:ids)) ORDER BY coalesce(l.depth, 0) DESC`,
      { ids: JSON.stringify(ids) },
    )
    .map((row) => row.id);
}

function isInUse(tx: Tx, id: number): boolean {
  const use = tx.db.get(
    `SELECT 1 FROM subagent_sessions WHERE session_id = :id
     UNION ALL SELECT 1 FROM lineage WHERE parent_session_id = :id`,
    { id },
  );
  return use !== undefined;
}
