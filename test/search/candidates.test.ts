/** What there is is found, however much of the same there is beside it. */
import { expect, test } from '@jest/globals';
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

test('what another agent has said again and again since hides nothing of what this one has said', () =>
  withSearch(async ({ session, say, repeat, search }) => {
    const alice = await session('alice', { agentId: 'alice' });
    await say(alice, 'the needle', 'no hay', 'a needle again');
    await repeat(alice, 'hay', 6000);
    await repeat(await session('bob', { agentId: 'bob' }), 'needle', 20_000);
    const turns = search('needle', { agentId: 'alice' }).map(({ turn }) => turn);
    expect(turns.toSorted()).toEqual([1, 3]);
  }));
