/** What is known in memory of the turns of the index follows it. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createCatchUp } from '../../search/catch-up.ts';
import { openIndex } from '../../search/index-file.ts';
import { createLengths } from '../../search/lengths.ts';
import { createPlaces } from '../../search/places.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { withStore } from '../store/store-fixture.ts';

test('a turn that is said anew has its new length, and one that has gone counts no more', () =>
  withStore(async ({ store, folder }) => {
    const index = openIndex(join(folder, 'search.db'), store.db);
    const lengths = createLengths(index.db);
    const places = createPlaces(store.db, 0);
    const { step } = createCatchUp(store.db, index, places, lengths);
    const say = (key: string, ...texts: string[]) =>
      store.write((tx) => {
        const names = { agentId: 'default', sessionKey: key, kind: 'external' as const };
        const row = insertSession(tx, { ...names, harness: null, project: null, title: null });
        for (const text of texts) appendTurn(tx, { sessionId: row.id, role: 'user', text });
        return row.id;
      });
    const change = (sql: string, id: number) => store.write((tx) => tx.db.run(sql, { id }));
    try {
      await say('one', 'two words', '');
      const other = await say('two', 'three words here', 'four words are here');
      step();
      expect([1, 2, 3, 4].map(lengths.of)).toEqual([2, 0, 3, 4]);
      expect(lengths.mean()).toBe(9 / 4);

      await change(`UPDATE turns SET text = 'these are five words now' WHERE id = :id`, 1);
      step();
      expect([1, 2, 3, 4].map(lengths.of)).toEqual([5, 0, 3, 4]);
      expect(lengths.mean()).toBe(12 / 4);

      // The ids of those that have gone are given again before anybody looks.
      await change('DELETE FROM sessions WHERE id = :id', other);
      await say('three', 'one');
      step();
      expect([1, 2, 3, 4].map(lengths.of)).toEqual([5, 0, 1, 0]);
      expect(lengths.mean()).toBe(6 / 3);
      // Also those that have gone since, and each once.
      expect(places.turns()).toBe(5);
    } finally {
      index.close();
    }
  }));
