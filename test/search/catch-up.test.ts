/** What is known in memory of the turns of the index follows it. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createCatchUp } from '../../search/catch-up.ts';
import { openIndex } from '../../search/index-file.ts';
import { createLengths } from '../../search/lengths.ts';
import { createPlaces } from '../../search/places.ts';
import type { Db } from '../../store/database.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurn, appendTurns } from '../../store/turns.ts';
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

test('what comes while hundreds of deletions are followed is found, though it has their ids', () =>
  withStore(async ({ store, folder }) => {
    const index = openIndex(join(folder, 'search.db'), store.db);
    const catchUp = createCatchUp(
      store.db,
      index,
      createPlaces(store.db, 0),
      createLengths(index.db),
    );
    const names = { agentId: 'default', kind: 'external', harness: null, project: null } as const;
    const open = (sessionKey: string) =>
      store.write((tx) => insertSession(tx, { ...names, sessionKey, title: null }));
    const say = (sessionId: number, text: string, count: number) =>
      store.write((tx) => {
        const turns = Array.from({ length: count }, () => ({ role: 'user' as const, text }));
        appendTurns(tx, sessionId, turns);
      });
    const found = (word: string) => index.selectAll(`"${word}"`).length;
    try {
      const [kept, gone] = [await open('kept'), await open('gone')];
      await say(kept.id, 'first', 10);
      await say(gone.id, 'old', 1000);
      while (catchUp.step());
      expect([found('first'), found('old')]).toEqual([10, 1000]);

      await store.write((tx) => tx.db.run('DELETE FROM sessions WHERE id = :id', { id: gone.id }));
      let steps = 0;
      do {
        steps += 1;
        await say(kept.id, `fresh${steps}`, 3);
      } while (catchUp.step());
      expect(steps).toBeGreaterThan(3);
      while (catchUp.step());
      const fresh = Array.from({ length: steps }, (_, n) => found(`fresh${n + 1}`));
      expect(fresh).toEqual(fresh.map(() => 3));
      expect([found('first'), found('old')]).toEqual([10, 0]);
    } finally {
      index.close();
    }
  }));

test('a long session that belongs elsewhere is written anew page by page, all of it, and once', () =>
  withStore(async ({ store, folder }) => {
    const index = openIndex(join(folder, 'search.db'), store.db);
    const lengths = createLengths(index.db);
    let most = 0;
    let pages = 0;
    const main: Db = {
      ...store.db,
      all<T>(sql: string, params?: Record<string, unknown>): T[] {
        const rows = store.db.all<T>(sql, params as never);
        most = Math.max(most, rows.length);
        pages += rows.length === 500 ? 1 : 0;
        return rows;
      },
    };
    const { step } = createCatchUp(main, index, createPlaces(store.db, 0), lengths);
    const count = 1600;
    try {
      const { id } = await store.write((tx) => {
        const names = { agentId: 'a', sessionKey: 's', kind: 'external', harness: null } as const;
        const row = insertSession(tx, { ...names, project: '/before', title: null });
        const turns = Array.from({ length: count }, () => ({ role: 'user' as const, text: 'x' }));
        appendTurns(tx, row.id, turns);
        return row;
      });
      while (step());
      // Here and there and back, before anybody looks.
      await store.write((tx) => {
        for (let n = 0; n < 50; n += 1) {
          const project = n % 2 === 0 ? '/between' : '/after';
          tx.db.run('UPDATE sessions SET project = :project WHERE id = :id', { id, project });
        }
      });
      pages = 0;
      while (step());
      const [before, after] = ['/before', '/after'].map((project) =>
        index.names.find('project', `a\n${project}`),
      );
      const inProject = (name: number | undefined) => index.selectAll(`scope : "p${name}"`).length;
      expect([inProject(before), inProject(after)]).toEqual([0, count]);
      expect([most, pages]).toEqual([500, 3]);
    } finally {
      index.close();
    }
  }));
