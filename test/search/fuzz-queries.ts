/** Queries that no person would write, asked in every kind of scope: none fails, none finds what is foreign. */
import * as fc from 'fast-check';
import type { SearchScope } from '../../contract/search.ts';
import { insertLineage } from '../../store/lineage.ts';
import { withSearch } from './search-fixture.ts';

const words =
  'alpha beta trunk ports trunks getUserById case_name foo/bar.ts EX4300-48T 東京都 검색어 café naïve the a1 s1 p1 t1 ruser y2026 march 2026'.split(
    ' ',
  );
const syntax = [
  ...[
    '"',
    '""',
    "'",
    '*',
    '(',
    ')',
    '^',
    ':',
    '-',
    '+',
    '{',
    '}',
    ',',
    '.',
    '|',
    '&',
    '\\',
    ';',
    '`',
  ],
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'NEAR(',
    'NEAR/2',
    'scope:',
    'text:',
    '{scope text}:',
    '- scope',
    'turn_index',
  ],
  ...[
    'x) OR scope:a2',
    '" OR scope : "a2',
    'scope : "s3"',
    '\0',
    '\ud800',
    '\u200d',
    '🙂',
    '\n',
    '\t',
    'ﬁ',
    'İ',
    'ß',
  ],
];

export const oddQueries = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...words) },
      { weight: 4, arbitrary: fc.constantFrom(...syntax) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'w'.repeat(3000),
          'ab '.repeat(500),
          '漢'.repeat(200),
          'aB1'.repeat(90),
        ),
      },
    ),
    { minLength: 1, maxLength: 10 },
  )
  .chain((parts) => fc.constantFrom('', ' ').map((between) => parts.join(between)));

export interface FuzzResult {
  queries: number;
  /** With at least one hit: a search that finds nothing proves nothing. */
  fruitful: number;
}

export function fuzzQueries(options: { seed: number; count: number }): Promise<FuzzResult> {
  return withSearch(async ({ session, say, search, store }) => {
    const result = { queries: 0, fruitful: 0 };
    for (const agentId of ['alice', 'bob']) {
      for (const project of ['/one', '/two']) {
        const root = await session(`${agentId} ${project}`, { agentId, project });
        const child = await session(`${agentId} ${project} child`, { agentId, project });
        await store.write((tx) => insertLineage(tx, child, root, 'explicit'));
        const said = words.map(
          (word, at) => `${word} ${words[(at * 7) % words.length]} of ${agentId}`,
        );
        await say(root, ...said);
        await say(child, ...said.map((text): ['tool', string] => ['tool', text]));
      }
    }
    const own = (await session('alice /one', { agentId: 'alice' })).id;
    const child = (await session('alice /one child', { agentId: 'alice' })).id;
    const foreign = (await session('bob /one', { agentId: 'bob' })).id;
    const scopes: [Partial<SearchScope>, RegExp][] = [
      [{}, /^alice/],
      [{ withoutId: own }, /^alice (?!\/one$)/],
      [{ project: '/two' }, /^alice \/two/],
      [{ sessionIds: [own] }, /^alice \/one$/],
      [{ sessionIds: [child, foreign] }, /^alice \/one child$/],
      [{ rootId: own }, /^alice \/one/],
      [{ rootId: foreign }, /^never$/],
      [{ sessionIds: [] }, /^never$/],
    ];
    fc.assert(
      fc.property(oddQueries, fc.constantFrom(...scopes), (text, [scope, wanted]) => {
        const hits = search(text, { agentId: 'alice', ...scope }, 20);
        result.queries += 1;
        result.fruitful += hits.length > 0 ? 1 : 0;
        return hits.every((hit) => wanted.test(hit.sessionKey) && hit.rank < 0);
      }),
      { seed: options.seed, numRuns: options.count },
    );
    return result;
  });
}
