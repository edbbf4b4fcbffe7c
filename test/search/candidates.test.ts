/** What there is is found, however much of the same there is beside it. */
import { expect, test } from '@jest/globals';
import { insertLineage } from '../../store/lineage.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurns } from '../../store/turns.ts';
import { withSearch } from './search-fixture.ts';

test('by session, one that says it in more turns than are looked at hides no other', () =>
  withSearch(async ({ session, say, repeat, sessionsWith }) => {
    const others = [];
    for (let n = 0; n < 5; n += 1) {
      const other = await session(`other${n}`, { project: '/p' });
      await say(other, `in a longer text than the others there is one needle, number ${n}, too`);
      others.push(other);
    }
    const crowd = await session('crowd', { project: '/p' });
    await repeat(crowd, 'needle', 200);
    const wanted = ['crowd', ...others.map((_, n) => `other${n}`)];
    const found = (scope: object, limit: number) => sessionsWith('needle', scope, limit).toSorted();
    expect(found({}, 20)).toEqual(wanted);
    expect(found({}, 3)).toHaveLength(3);
    // More than is taken from the index at once.
    await repeat(crowd, 'needle', 9000);
    const big = await session('big', { project: '/p' });
    await repeat(big, 'needle', 5000);
    const all = ['big', ...wanted];
    const ids = [big, crowd, ...others].map(({ id }) => id);
    const scopes = [{}, { project: '/p' }, { sessionIds: ids }, { sessionIds: [crowd.id, ...ids] }];
    for (const scope of scopes) expect(found(scope, 20)).toEqual(all);
    expect(found({ withoutId: big.id }, 20)).toEqual(wanted);
    expect(found({ rootId: others[0]!.id }, 20)).toEqual(['other0']);
    // A word that is common and one that only the crowd has.
    await say(crowd, ...Array.from({ length: 300 }, () => 'a rare needle'));
    expect(found({}, 20)).toEqual(all);
    expect(sessionsWith('rare needle', {}, 20).toSorted()).toEqual(all);
  }));

test('a word that all of late have said is worth something, however many marks came before', () =>
  withSearch(async ({ session, store, repeat, search }) => {
    const one = await session('one');
    await store.write((tx) => {
      const marks = Array.from({ length: 2000 }, () => ({
        role: 'mark' as const,
        text: 'started',
      }));
      appendTurns(tx, one.id, marks);
    });
    await repeat(one, 'needle', 5000);
    const hits = search('needle');
    expect(hits).toHaveLength(10);
    expect(hits.every(({ rank }) => rank < 0)).toBe(true);
  }));

test('what another agent has said again and again since hides nothing of what this one has said', () =>
  withSearch(async ({ session, say, repeat, search }) => {
    const alice = await session('alice', { agentId: 'alice' });
    await say(alice, 'the needle', 'no hay', 'a needle again');
    await repeat(alice, 'hay', 6000);
    await repeat(await session('bob', { agentId: 'bob' }), 'needle', 20_000);
    const turns = search('needle', { agentId: 'alice' }).map(({ turn }) => turn);
    expect(turns.toSorted()).toEqual([1, 3]);
  }));

test('a part of a tree is searched, however many sessions it has and however much is said around it', () =>
  withSearch(async ({ session, repeat, search, sessionsWith, store }) => {
    const root = await session('root');
    const middle = await session('middle');
    const ids = await store.write((tx) => {
      insertLineage(tx, middle, root, 'explicit');
      return Array.from({ length: 10_000 }, (_, n) => {
        const names = { agentId: 'default', sessionKey: `c${n}`, kind: 'external' as const };
        const project = `/p/${n % 1000}`;
        const row = insertSession(tx, { ...names, harness: null, project, title: null });
        insertLineage(tx, row, middle, 'explicit');
        const text = n === 17 ? 'the needle and a rare one' : n % 100 === 0 ? 'a needle' : 'hay';
        appendTurns(tx, row.id, [{ role: 'user', text }]);
        return row.id;
      });
    });
    await repeat(root, 'needle', 5000);
    await repeat(await session('other'), 'needle', 60_000);
    const part = { rootId: root.id, sessionIds: ids };
    const few = { rootId: root.id, sessionIds: ids.slice(0, 3000) };
    const keys = (query: string, scope: object) =>
      search(query, scope, 20).map(({ sessionKey }) => sessionKey);
    for (const scope of [part, few, { project: '/p' }, { ...part, project: '/p/17' }]) {
      expect(keys('rare', scope)).toEqual(['c17']);
      expect(keys('needle rare', scope)[0]).toBe('c17');
    }
    expect(keys('needle', part)).toHaveLength(20);
    expect(sessionsWith('needle', few, 20)).toHaveLength(20);
    expect(keys('needle', part).every((key) => key.startsWith('c'))).toBe(true);
    // Named by another tree, they are in none.
    expect(keys('needle', { rootId: ids[0]!, sessionIds: ids })).toEqual([]);
  }));

test.each(['organi*', 'foo_ba*', 'needle -organi*', 'needle -foo_ba*'])(
  'what %s means is found behind any number of turns that only look like it to the index',
  (query) =>
    withSearch(async ({ session, say, repeat, search, sessionsWith }) => {
      const isWithout = query.startsWith('needle');
      const [meant, alike] = ['needle of the organisation: foo_bar', 'needle of an org: foo baz'];
      const wanted = isWithout ? 'another needle' : meant;
      const row = await session('one');
      await say(row, `${wanted}, in more words than all others have, so that it comes last`);
      await repeat(row, isWithout ? `${meant} configurations` : alike.replace('baz', 'quux'), 500);
      await repeat(await session('two'), 'hay', 5000);
      expect(search(query).map(({ turn }) => turn)).toEqual([1]);
      expect(sessionsWith(query)).toEqual(['one']);
    }),
);
