import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { parseQuery } from '../../search/query.ts';
import { fuzzQueries } from './fuzz-queries.ts';
import { withSearch } from './search-fixture.ts';

const matches = (query: string) =>
  parseQuery(query)
    .terms.filter((term) => !term.isSoft)
    .map((term) => term.match);

test.each([
  ['a trunk port', ['text : "trunk"', 'text : "port"']],
  ['"trunk ports" vlan', ['text : "trunk ports"', 'text : "vlan"']],
  ['"no end', ['text : "no end"']],
  ['conf*', ['(text : "conf" * OR text : "con")']],
  ['co* x', ['text : "co"', 'text : "x"']],
  // What FTS5 stems begins fewer words, or others.
  ['query*', ['(text : "quer" * OR text : "query" OR text : "quer" OR text : "que")']],
  ['foo/bar.ts:42', ['text : "foo bar ts 42"']],
  ['x) OR scope:a2', ['text : "x"', '(text : "scope a 2" OR text : "scope a2")']],
  ['foo_bar*', ['text : "foo bar" *']],
  ['foo_barr*', ['(text : "foo barr" * OR text : "foo bar")']],
  // A beginning so short fits too much: what stands before it is looked for, and then the text at hand.
  ['foo_ba*', ['text : "foo"']],
  ['"foo ba"* x', ['text : "foo"', 'text : "x"']],
  ['"foo ba"* foo "foo ba"* "foo be"*', ['text : "foo"', 'text : "foo"', 'text : "foo"']],
  ['"foo bar*"', ['text : "foo bar" *']],
  [
    'fooBar*',
    [
      '(text : "foo bar" * OR (text : "foobar" * OR text : "fooba" OR text : "foob" OR text : "foo"))',
    ],
  ],
  ['"東京都 api" "api 東京都"', ['text : "東京 京都 都 api"', 'text : "api 東京 京都"']],
  ['API接口', ['text : "API"', 'text : "接口"']],
  ['日本 東', ['text : "日本"', 'text : "東" *']],
  ['2026', ['(text : "2026" OR scope : "y2026")']],
  ['?!*"', []],
  ['-only', []],
  ['the', ['text : "the"']],
])('%j asks for %j', (query, wanted) => expect(matches(query)).toEqual(wanted));

test('no more words are asked for than are useful, and none is longer than that', () => {
  const many = Array.from(
    { length: 200 },
    (_, n) => `word${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}`,
  );
  expect(parseQuery(many.join(' ')).terms.length).toBeLessThan(limits.queryWordsMax);
  expect(parseQuery('x'.repeat(1000)).terms[0]!.match).toBe(`text : "${'x'.repeat(64)}"`);
});

test('what is cut off by the words there may be leaves out nothing, and begins nothing', () => {
  const before = 'hay '.repeat(limits.queryWordsMax - 1);
  expect(parseQuery(`${before} -"of the trunk"`).without).toEqual([]);
  expect(parseQuery(`${before} -of`).without).toHaveLength(1);
  expect(matches(`${before} "trunk port"*`)).toEqual(['text : "hay"', 'text : "trunk"']);
});

test.each([
  ['trunk -vlan', ['the trunk alone', 'ports of the trunk']],
  ['trunk -"trunk alone"', ['a trunk of a vlan', 'ports of the trunk']],
  ['"of the trunk"', ['ports of the trunk']],
  ['trunk -trunk', []],
  ['-trunk', []],
  ['trunk -alo*', ['a trunk of a vlan', 'ports of the trunk']],
  ['trunk -"of a vl"*', ['the trunk alone', 'ports of the trunk']],
  ['trunk -"of t*"', ['a trunk of a vlan', 'the trunk alone']],
  ['住 -東京', ['京都に住む']],
  ['住 -京都', ['東京に住む']],
  ['住 -"都に住"', ['東京に住む', '東京都は住みよい']],
  ['住 -都', ['東京に住む']],
])('%j leaves out what it must', (query, wanted) =>
  withSearch(async ({ session, say, excerpts }) => {
    await say(
      await session('one'),
      'a trunk of a vlan',
      'the trunk alone',
      'ports of the trunk',
      'hay',
      ...['東京に住む', '京都に住む', '東京都は住みよい'],
    );
    expect(excerpts(query).toSorted()).toEqual(wanted.toSorted());
  }),
);

test.each([
  ['bus*', ['a bus stop', 'the business of buses']],
  ['stop -bus*', ['press the button to stop']],
  ['classes*', ['all classes']],
  ['all -classes*', ['of all the class it is a classic']],
  ['query*', ['a query', 'the querystring', 'queryBuilder']],
  ['running*', ['running on']],
  ['key*', ['the key', 'its keys', 'a keyboard']],
  ['"a key"*', ['a keyboard']],
  ['"press key"* press', ['press the button to stop']],
])('%j finds what begins like it, and nothing that begins like its stem', (query, wanted) =>
  withSearch(async ({ session, say, excerpts }) => {
    await say(
      await session('one'),
      ...['press the button to stop', 'a bus stop', 'the business of buses'],
      ...['all classes', 'of all the class it is a classic'],
      ...['a query', 'the querystring', 'queryBuilder', 'queer'],
      ...['running on', 'a runt, and it has run', 'the key', 'its keys', 'a keyboard', 'kept'],
    );
    expect(excerpts(query).toSorted()).toEqual(wanted.toSorted());
  }),
);

test('the excerpt is cut around the rarest word, not around the first [signet 46]', () =>
  withSearch(async ({ session, say, search }) => {
    const hay = (n: number) => `how the ports are kept, line ${n}. `.repeat(20);
    const row = await session('one');
    await say(row, ...Array.from({ length: 30 }, (_, n) => hay(n)));
    await say(row, `${hay(1)}here is the quagga daemon at last. ${hay(2)}`);
    const [hit] = search('how are the ports of quagga');
    expect(hit!.excerpt).toMatch(/^….*quagga.*…$/);
    expect(hit!.turn).toBe(31);
    const { start, end } = hit!.offsets.find((at) => at.end - at.start === 6)!;
    expect(`${hay(1)}here is the quagga daemon at last.`.slice(start, end)).toBe('quagga');
    // Alone it is worth more than two that are everywhere.
    const far = 'of other things '.repeat(60);
    await say(row, `ports are kept: ${far}the zorilla ${far}`);
    expect(search('ports kept zorilla')[0]!.excerpt).toMatch(/^….*zorilla.*…$/);
  }));

test('an excerpt has an end, and no character of it is cut in two', () =>
  withSearch(async ({ session, say, excerpts }) => {
    for (let before = 0; before < 12; before += 1) {
      const row = await session(`s${before}`);
      await say(row, `${'x'.repeat(before)}${'👩‍👩‍👧'.repeat(100)} needle${before} ${'é́'.repeat(300)}`);
      const [excerpt] = excerpts(`needle${before}`);
      expect(excerpt).toContain(`needle${before}`);
      expect(excerpt!.length).toBeLessThan(350);
      expect(excerpt).not.toMatch(/\p{Cs}/u);
      expect(excerpt).toMatch(/^…?(?![\u200d\p{M}])/u);
    }
  }));

test('a turn is nearer for the turns beside it, and a session for what else it says', () =>
  withSearch(async ({ session, say, search }) => {
    const lone = await session('lone');
    const talk = await session('talk');
    await say(lone, 'the cache is cold', 'lunch', 'weather', 'more weather', 'and a cache');
    await say(talk, 'why is the pool drained', 'the cache is cold', 'so the pool drains');
    const hits = search('cache pool drained');
    expect(hits[0]!.sessionKey).toBe('talk');
    const cold = hits.filter(({ excerpt }) => excerpt === 'the cache is cold');
    expect(cold.map(({ sessionKey }) => sessionKey)).toEqual(['talk', 'lone']);
  }));

test('a month of a query is also the time at which something was said', () =>
  withSearch(async ({ session, store, search }) => {
    const row = await session('one');
    await store.write((tx) => {
      for (const [seq, month] of ['05', '09', '11'].entries()) {
        tx.db.run(
          `INSERT INTO turns (session_id, seq, role, at, text)
           VALUES (:id, :seq, 'user', :at, 'the release is out')`,
          { id: row.id, seq: seq + 1, at: `2025-${month}-02T10:00:00.000Z` },
        );
      }
    });
    expect(search('release in september')[0]!.at).toBe('2025-09-02T10:00:00.000Z');
    expect(search('release of november 2025')[0]!.at).toBe('2025-11-02T10:00:00.000Z');
  }));

test('whatever is asked, nothing fails and nothing foreign is found [signet 48, 50]', async () => {
  const { queries, fruitful } = await fuzzQueries({ seed: 5, count: 3000 });
  expect(queries).toBe(3000);
  expect(fruitful).toBeGreaterThan(600);
});
