/**
 * Callbacks of a session that an agent program runs: put before its model at a hook, and read once there
 * is a sign of it. An answer of ours may never have arrived, so what shows no sign is offered again.
 */
import { limits } from '../contract/limits.ts';
import { envelopeOf } from './callbacks.ts';
import type { Db } from './database.ts';
import { acknowledge, isAnyWaiting, waitingCallbacks, type CallbackRow } from './mailbox.ts';
import type { SessionRow } from './sessions.ts';
import { appendTurn } from './turns.ts';
import type { Tx } from './write-queue.ts';

export interface Offer {
  id: string;
  /** As the model reads it; one that was offered before says so. */
  envelope: string;
}

/**
 * What ended children have to say to this session, in the order in which they ended; what shows no sign of having been
 * read not more often than `offersMax` times.
 */
export function callbacksToOffer(
  db: Db,
  session: Pick<SessionRow, 'id' | 'kind'>,
  offersMax = Infinity,
): Offer[] {
  if (session.kind === 'managed') return [];
  return waitingCallbacks(db, session.id, limits.callbacksPerTurnMax)
    .filter(({ offers, offered_seq: seq }) => seq === null || offers < offersMax)
    .map((callback) => ({
      id: callback.id,
      envelope: envelopeOf(db, callback, { isRepeat: callback.offers > 0 }),
    }));
}

/** At no time, where the hook may come again: then it is read by words of the model's, or by a hook that says which it is. */
export function markOffered(
  tx: Tx,
  session: Pick<SessionRow, 'id'>,
  ids: string[],
  offeredAt: string | null = tx.now,
): void {
  tx.db.run(
    `UPDATE mailbox SET offered_at = :offeredAt, offers = offers + 1,
            offered_seq = (SELECT last_seq FROM sessions WHERE id = :sessionId)
     WHERE session_id = :sessionId AND id IN (SELECT value FROM json_each(:ids))`,
    { offeredAt, sessionId: session.id, ids: JSON.stringify(ids) },
  );
}

export interface TurnOver {
  /** The hook says that a turn of the model's is over: what was offered before that has been read. */
  isTurnOver?: boolean;
  /** When it was; now, where it is not said. */
  at?: string;
  /** The hook cannot be told from its repeat, which says as much of the turn's end: neither reads what it is offered. */
  mayComeAgain?: boolean;
}

/**
 * Acknowledges what was offered and read: its id stands in a later turn, or the model has answered since,
 * or says that its turn was over `at` a time since. Call it when what a hook brought is in the store.
 */
export function settleOffers(
  tx: Tx,
  session: Pick<SessionRow, 'id'>,
  { isTurnOver = false, at = tx.now, mayComeAgain = false }: TurnOver = {},
): string[] {
  const offered = tx.db.all<CallbackRow>(
    `SELECT * FROM mailbox WHERE session_id = :id AND offered_seq IS NOT NULL
       AND state IN ('queued', 'undelivered') ORDER BY seq LIMIT +:limit`,
    { id: session.id, limit: limits.callbacksPerTurnMax },
  );
  // A turn that was over before the offer, and is told late, has read nothing of it.
  const isRead = ({ offered_at: offeredAt }: CallbackRow) =>
    isTurnOver && (offeredAt === null ? !mayComeAgain : at >= offeredAt);
  const read = offered.filter((callback) => isRead(callback) || hasSign(tx.db, callback));
  if (read.length === 0) return [];
  const ids = read.map(({ id }) => id);
  for (const callback of acknowledge(tx, session.id, ids)) {
    appendTurn(tx, {
      sessionId: session.id,
      role: 'callback',
      text: envelopeOf(tx.db, callback),
      src: `callback:${callback.id}`,
      // That it was read is known when the model has answered: it was told before that.
      at: callback.offered_at ?? at,
    });
  }
  return ids;
}

/** The answer that offered them was not read: they are offered again, and nothing settles them before. */
export function withdrawOffers(tx: Tx, session: Pick<SessionRow, 'id'>): void {
  tx.db.run(
    `UPDATE mailbox SET offered_seq = NULL
     WHERE session_id = :id AND state IN ('queued', 'undelivered')`,
    { id: session.id },
  );
}

export interface OfferOptions extends TurnOver {
  offersMax?: number | undefined;
}

/**
 * All of it in one: what was read is acknowledged, the rest is offered. Empty: nothing waits.
 */
export function offerCallbacks(
  tx: Tx,
  session: Pick<SessionRow, 'id' | 'kind'>,
  { offersMax, ...over }: OfferOptions = {},
): Offer[] {
  if (!isAnyWaiting(tx.db, session.id)) return [];
  settleOffers(tx, session, over);
  const offers = callbacksToOffer(tx.db, session, offersMax);
  if (offers.length > 0) {
    markOffered(
      tx,
      session,
      offers.map(({ id }) => id),
      over.mayComeAgain ? null : tx.now,
    );
  }
  return offers;
}

function hasSign(db: Db, callback: CallbackRow): boolean {
  const { id, session_id: sessionId, offered_seq: seq, offered_at: offeredAt } = callback;
  const sign = db.get(
    // An answer from before the offer may be told late: a transcript lags behind. What a hook has told its model stands in
    // most transcripts as a line that nobody said: its turn is a mark without words.
    `SELECT 1 FROM turns WHERE session_id = :sessionId AND seq > :seq
       AND (role = 'assistant' AND at >= coalesce(:offeredAt, '') OR instr(text, :id) > 0 OR instr(raw, :id) > 0) LIMIT 1`,
    { sessionId, seq, id, offeredAt },
  );
  return sign !== undefined;
}
