import { expect, test } from '@jest/globals';
import { withSearch } from './search-fixture.ts';

test.each([
  ['EX4300-48T', 'the EX4300-48T in rack 4'],
  ['4300', 'the EX4300-48T in rack 4'],
  ['case_name', 'rename case_name everywhere'],
  ['foo/bar.ts', 'look into src/foo/bar.ts:42'],
  ['bar.ts', 'look into src/foo/bar.ts:42'],
  ['getUserById', 'call getUserById() twice'],
  ['user by id', 'call getUserById() twice'],
  ['get_user_by_id', 'call getUserById() twice'],
  ['getUserById', 'call get_user_by_id twice'],
  ['HTTPServer', 'an HTTPServer listens'],
  ['server', 'an HTTPServer listens'],
  ['trunk port', 'audit the trunk ports'],
  ['configura*', 'the configuration is wrong'],
  ['foo_bar*', 'rename foo_barrier now'],
  ['foo_ba*', 'rename foo_barrier now'],
  ['foo/bar/configura*', 'look into foo/bar/configuration.ts'],
  ['fooBar*', 'call fooBarrier now'],
  ['fooBar*', 'call myFooBarrier now'],
  ['fooBar*', 'call foo_barrier now'],
  ['fooBar*', 'call foobarrier now'],
  ['getUserB*', 'call getUserById() twice'],
  ['"audit of the tru"*', 'an audit of the trunk ports'],
  ['"audit of the tru*"', 'an audit of the trunk ports'],
  ['conf*', 'call myConfig now'],
  ['接口_fo*', '调用接口_foobar'],
  ['東京', '私は東京都に住んでいる'],
  ['京都', '私は東京都に住んでいる'],
  ['東', '私は東京都に住んでいる'],
  ['검색', '전체 검색 기능'],
  // At the end of a run, and beside other letters.
  ['都', '私は東京都、と言う'],
  ['능', '전체 검색 기능'],
  ['東', '東 is a word of its own'],
  ['接口', '调用API接口的时候'],
  ['api', '调用API接口的时候'],
  ['getUser', '调用getUserById接口'],
  ['"东京 api"', '在东京 API 里'],
  ['"api 东京"', '在API东京里'],
  ['"東京都に"', '私は東京都に住んでいる'],
  ['"東京都"', '私は東京都、と言う'],
  ['"都 api"', '私は東京都 API'],
  ['café', 'meet at the cafe'],
  ['cafe', 'meet at the café'],
  ['ﬁle', 'the file is gone'],
  ["parent's", 'the parent is gone'],
  ['"trunk ports"', 'audit the trunk ports'],
  ['the', 'only the end'],
])('%j finds %j [signet 47]', (query, text) =>
  withSearch(async ({ session, say, search }) => {
    await say(await session('one'), 'something else', text, 'and more');
    const hits = search(query);
    expect(hits.map((hit) => [hit.excerpt, hit.turn])).toEqual([[text, 2]]);
    expect(hits[0]!.rank).toBeLessThan(0);
    expect(hits[0]!.offsets.length).toBeGreaterThan(0);
  }),
);

test.each([
  ['数据库迁移计划是什么', '我们决定把数据库迁移到新的集群'],
  ['どこに住んでいますか', '私は東京都に住んでいる'],
])('a question without spaces, %j, finds %j first', (query, text) =>
  withSearch(async ({ session, say, excerpts }) => {
    await say(await session('one'), 'something else', text, '新的集群', 'and more');
    expect(excerpts(query)[0]).toBe(text);
  }),
);

test.each([
  ['café_cor*', 'the cafe\u0301_corner'],
  ['ガス', '東京ｶﾞｽの料金'],
  ['검색', '전체 검색 기능'.normalize('NFD')],
])(
  '%j finds a text whose characters are in another form, and tells no place there',
  (query, text) =>
    withSearch(async ({ session, say, search }) => {
      await say(await session('one'), 'something else', text);
      expect(search(query).map(({ excerpt, offsets }) => [excerpt, offsets])).toEqual([[text, []]]);
    }),
);

test('a small part of a large index is searched by itself, however it is named', () =>
  withSearch(async ({ session, say, search, store }) => {
    const crowd = await session('crowd');
    await say(crowd, ...Array.from({ length: 3000 }, (_, n) => `needle number${n} of the crowd`));
    const alone = await session('alone', { project: '/p' });
    await say(alone, 'an old needle', 'hay', 'another needle');
    const other = await session('other', { agentId: 'bob' });
    await say(other, 'a needle of bob');
    await say(crowd, ...Array.from({ length: 500 }, () => 'one more needle of the crowd'));
    const found = (scope: object) =>
      search('needle', scope, 20)
        .map(({ sessionKey, turn }) => `${sessionKey} ${turn}`)
        .toSorted();
    const wanted = ['alone 1', 'alone 3'];
    expect(found({ sessionIds: [alone.id] })).toEqual(wanted);
    expect(found({ project: '/p' })).toEqual(wanted);
    expect(found({ rootId: alone.id })).toEqual(wanted);
    expect(found({ withoutId: crowd.id })).toEqual(wanted);
    expect(found({ agentId: 'bob' })).toEqual(['other 1']);
    expect(found({ agentId: 'bob', sessionIds: [alone.id] })).toEqual([]);
    await store.write((tx) =>
      tx.db.run(`UPDATE sessions SET project = '/q' WHERE id = ${alone.id}`),
    );
    expect(found({ project: '/p' })).toEqual([]);
    expect(found({ project: '/q' })).toEqual(wanted);
    // By the folder above it, too.
    expect(found({ project: '/' })).toEqual(wanted);
  }));

test('of turns that say the same, those come first in whose session more is said of it', () =>
  withSearch(async ({ session, say, search }) => {
    const much = await session('much');
    for (let n = 0; n < 3; n += 1)
      await say(much, 'of the needle', ...Array(5).fill('hay and more hay'));
    await say(await session('once'), 'of the needle');
    const order = search('needle').map(({ sessionKey }) => sessionKey);
    expect(order).toEqual(['much', 'much', 'much', 'once']);
  }));
