import { releaseClaim } from '../../store/claims.ts';
import { queueSessionPoke } from '../../store/outbox.ts';
import { settleOffers } from '../../store/offers.ts';
import { openSubagents } from '../../store/session-family.ts';
import { setEnded, type SessionRow } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import type { Tx } from '../../store/write-queue.ts';
import type { Heard } from './hook.ts';
import { pokeParent } from './poke-parent.ts';
import { addMark } from './said.ts';
import { wasAtWorkSince } from './see.ts';

/** It has ended: nobody holds it, its own workflow and its parent's hear of it, and what was at work in it is over. */
export function endSession(heard: Heard, reason?: string): void {
  const { tx, session, at, isLate } = heard;
  // A program that failed has not told the end of its turn: what it was told stands in its transcript all the same.
  settleOffers(tx, session, { at });
  addMark(heard, `ended${reason ? `: ${reason}` : ''}`);
  releaseClaim(tx, session.id);
  for (const { id: sessionId } of setOver(tx, session, at, isLate)) {
    const text = 'ended: with its session';
    appendTurn(tx, { sessionId, role: 'mark', at, source: 'hook', text });
  }
}

/** An end that is told late ends nothing that has been at work since. */
export const noteGoneOn = (heard: Heard): void => addMark(heard, 'had ended, and went on');

/**
 * The workflows hear of it, its own and its parent's. Programs do not tell every sub-agent's end: one that failed or was
 * killed with its session has none. So what was at work in it is over, too, unless the end is told late and that has gone
 * on since; answers which that is.
 */
export function setOver(tx: Tx, session: SessionRow, at: string, isLate = false): SessionRow[] {
  const inside = openSubagents(tx.db, session.id).filter(
    (one) => !isLate || !wasAtWorkSince(one, at),
  );
  for (const one of [session, ...inside]) {
    // An end that is told after a later one moves nothing back: what was said between the two would begin it again.
    if (one.ended_at === null || one.ended_at < at) setEnded(tx, one, at);
    queueSessionPoke(tx, one.id);
  }
  for (const { id } of inside) releaseClaim(tx, id);
  pokeParent(tx, session);
  return inside;
}
