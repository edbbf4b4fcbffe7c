import { releaseClaim } from '../../store/claims.ts';
import { queueSessionPoke } from '../../store/outbox.ts';
import { settleOffers } from '../../store/offers.ts';
import { openSubagents } from '../../store/session-family.ts';
import { setEnded, type SessionRow } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import type { Heard } from './hear.ts';
import { pokeParent } from './poke-parent.ts';
import { addMark } from './said.ts';

/** It has ended: nobody holds it, its own workflow and its parent's hear of it, and what was at work in it is over. */
export function endSession(heard: Heard, reason?: string): void {
  const { tx, session, at } = heard;
  // A program that failed has not told the end of its turn: what it was told stands in its transcript all the same.
  settleOffers(tx, session);
  addMark(heard, `ended${reason ? `: ${reason}` : ''}`);
  end(session);
  pokeParent(tx, session);
  // Programs do not tell every sub-agent's end: one that failed or was killed with its session has none.
  for (const subagent of openSubagents(tx.db, session.id)) {
    appendTurn(tx, {
      ...{ sessionId: subagent.id, role: 'mark', at, source: 'hook' },
      text: 'ended: with its session',
    });
    end(subagent);
  }

  function end(one: SessionRow): void {
    releaseClaim(tx, one.id);
    setEnded(tx, one, at);
    queueSessionPoke(tx, one.id);
  }
}
