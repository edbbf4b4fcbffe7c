/** Callbacks: what an ended child has to say to the session that asked for it. */
import { limits } from '../contract/limits.ts';
import type { CallbackState } from '../contract/words.ts';
import type { Db } from './database.ts';
import type { InvocationRow } from './invocations.ts';
import type { Tx } from './write-queue.ts';

export interface CallbackRow {
  seq: number;
  id: string;
  session_id: number;
  invocation_id: string;
  state: CallbackState;
  handed_to: string | null;
  created_at: string;
  delivered_at: string | null;
  offered_at: string | null;
  /** The session's last turn when it was offered; null: it never was. */
  offered_seq: number | null;
  offers: number;
}

export const callbackId = (invocationId: string) => invocationId.replace(/^sub_/, 'cb_');

export function queueCallback(tx: Tx, child: InvocationRow, sessionId: number): void {
  const count = tx.db.run(
    `INSERT INTO mailbox (id, session_id, invocation_id, state, created_at)
     VALUES (:id, :sessionId, :invocationId, 'queued', :now) ON CONFLICT DO NOTHING`,
    { id: callbackId(child.id), sessionId, invocationId: child.id, now: tx.now },
  );
  tx.note({ kind: 'callbacks', state: 'queued', count });
}

/** Mostly nothing does, and that takes no list. */
export function isAnyWaiting(db: Db, sessionId: number): boolean {
  const any = db.get(
    `SELECT 1 FROM mailbox WHERE session_id = :sessionId AND state IN ('queued', 'undelivered') LIMIT 1`,
    { sessionId },
  );
  return any !== undefined;
}

/** What a session has yet to be told, in the order in which the children ended. */
export function waitingCallbacks(db: Db, sessionId: number, limit: number): CallbackRow[] {
  return db.all(
    `SELECT * FROM mailbox WHERE session_id = :sessionId AND state IN ('queued', 'undelivered')
     ORDER BY seq LIMIT +:limit`,
    { sessionId, limit },
  );
}

/** One page, and how many come after it. `after` is the id of the last one seen. */
export function callbacksOf(
  db: Db,
  sessionId: number,
  asked: { state: CallbackState | 'open' | 'all'; after: string | null },
): { rows: CallbackRow[]; remaining: number } {
  const found = `FROM mailbox
     WHERE session_id = :sessionId
       AND (:state = 'all' OR (:state = 'open' AND state <> 'delivered') OR state = :state)
       AND seq > coalesce((SELECT seq FROM mailbox WHERE id = :after), 0)`;
  const limit = limits.callbacksPageMax;
  const rows = db.all<CallbackRow>(`SELECT * ${found} ORDER BY seq LIMIT +:limit`, {
    ...{ sessionId, limit },
    ...asked,
  });
  const { n } = db.get<{ n: number }>(`SELECT count(*) AS n ${found}`, { sessionId, ...asked })!;
  return { rows, remaining: n - rows.length };
}

export function handCallbacks(tx: Tx, ids: string[], invocationId: string): void {
  tx.db.run(
    `UPDATE mailbox SET state = 'handed', handed_to = :invocationId
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(ids), invocationId },
  );
}

/** What becomes of the callbacks that a run was handed: read, put back, or kept for the session. */
export function settleHanded(
  tx: Tx,
  invocationId: string,
  state: 'delivered' | 'queued' | 'undelivered',
): void {
  const count = tx.db.run(
    `UPDATE mailbox SET state = :state, handed_to = NULL,
            delivered_at = CASE :state WHEN 'delivered' THEN :now END
     WHERE handed_to = :invocationId AND state = 'handed'`,
    { invocationId, state, now: tx.now },
  );
  if (state === 'delivered') tx.note({ kind: 'callbacks', state, count });
}

/** Callbacks nobody is left to take: kept for the session, and shown as undelivered. */
export function keepForSession(tx: Tx, sessionId: number): void {
  tx.db.run(
    `UPDATE mailbox SET state = 'undelivered' WHERE session_id = :sessionId AND state = 'queued'`,
    { sessionId },
  );
}

/** What a run is reading now stays with it: whoever has to repeat that run has to read it, too. */
export function acknowledge(tx: Tx, sessionId: number, ids: string[]): CallbackRow[] {
  const rows = tx.db.all<CallbackRow>(
    `SELECT * FROM mailbox WHERE session_id = :sessionId
       AND id IN (SELECT value FROM json_each(:ids)) ORDER BY seq`,
    { sessionId, ids: JSON.stringify(ids) },
  );
  const count = tx.db.run(
    `UPDATE mailbox SET state = 'delivered', delivered_at = :now
     WHERE session_id = :sessionId AND state IN ('queued', 'undelivered')
       AND id IN (SELECT value FROM json_each(:ids))`,
    { sessionId, ids: JSON.stringify(ids), now: tx.now },
  );
  tx.note({ kind: 'callbacks', state: 'delivered', count });
  return rows;
}
