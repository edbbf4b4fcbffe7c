/** What search says of long sessions, and finds in large trees. */
import { expect, test } from '@jest/globals';
import type { TurnRole } from '../../contract/words.ts';
import { insertLineage } from '../../store/lineage.ts';
import { setRanges } from '../../store/reading-order.ts';
import { findSession, registerSession, sessionById } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { withOperations } from './operations-fixture.ts';
import { tell } from './tell.ts';

test('turns are counted as they came: marks, branches and what is told late shift none of them', () =>
  withOperations(async (room) => {
    const roles: TurnRole[] = ['user', 'mark', 'assistant', 'tool', 'mark', 'mark', 'stdout'];
    const turns = Array.from({ length: 300 }, (_, n): [TurnRole, string] => {
      const role = roles[(n * 5) % roles.length]!;
      return [role, role === 'mark' ? `branch: ${n}` : `said${n}x`];
    });
    await tell(room, 'one', turns);
    // The program has gone back, and what came last is read first.
    await room.store.write((tx) => {
      const { id } = findSession(tx.db, 'default', 'one')!;
      setRanges(tx, id, [
        [250, 300],
        [1, 100],
        [301, null],
      ]);
    });
    const placeOf = (seq: number) => (seq >= 250 ? seq - 249 : seq <= 100 ? seq + 51 : null);
    let turn = 0;
    for (const [index, [role, text]] of turns.entries()) {
      if (role === 'mark') continue;
      turn += 1;
      const { hits } = await room.ask('searchSessions', { query: text });
      const seq = index + 1;
      expect(hits).toEqual([
        expect.objectContaining({ excerpt: text, turn, seq, place: placeOf(seq) }),
      ]);
    }
  }));

/** Each with a number. */
const sessions = 3000;

test('all of a part of a tree is searched, by whoever has its token, too', () =>
  withOperations(async (room) => {
    await tell(room, 'root', ['the needle of the root']);
    const { id } = await room.start({ parentSessionId: 'root', prompt: 'find the needle' });
    const own = room.row(id).session_id;
    await room.store.write((tx) => {
      const upper = sessionById(tx.db, own);
      for (let n = 0; n < sessions; n += 1) {
        const names = { agentId: 'default', sessionKey: `below${n}`, harness: null, title: null };
        const row = registerSession(tx, { ...names, project: null });
        insertLineage(tx, row, upper, 'explicit');
        appendTurn(tx, { sessionId: row.id, role: 'user', text: `needle number${n}` });
      }
    });
    await tell(room, 'other', ['needle number1']);
    const { session_key: rootSessionKey } = sessionById(room.store.db, own);
    for (const caller of [room.admin, room.child(id)]) {
      const keys = async (query: string) => {
        const { hits } = await room.ask('searchSessions', { query, rootSessionKey }, caller);
        return hits.map(({ sessionKey }) => sessionKey);
      };
      expect(await keys('number1')).toEqual(['below1']);
      expect(await keys(`number${sessions - 1}`)).toEqual([`below${sessions - 1}`]);
      expect(await keys('needle')).toHaveLength(10);
    }
    const mine = await room.ask('searchSessions', { query: 'needle' }, room.child(id));
    expect(mine.hits.map(({ sessionKey }) => sessionKey)).toEqual(['root']);
  }));
