/** Our ranking and FTS5's own, query by query over the same index. */
import BetterSqlite3 from 'better-sqlite3';
import type { SearchHit, SearchRequest } from '../contract/search.ts';
import type { Searcher } from '../search/searcher.ts';
import { plainFigure, type Figure } from './figure.ts';
import { agentOf, oneAgent, projectOf, type Filled, type Known } from './search-store.ts';
import { median, quantile, ratioOf } from './statistics.ts';

/** Those of one session; a fiftieth of all turns, once by folder and once by agent; all turns there are. */
type ScopeName = 'session' | 'project' | 'agent' | 'all';

export function requestOf({ words, session }: Known, scope: ScopeName): SearchRequest {
  return {
    query: words.join(' '),
    scope: {
      agentId: scope === 'agent' ? agentOf(session) : oneAgent,
      project: scope === 'project' ? projectOf(session) : null,
      sessionIds: scope === 'session' ? [session] : null,
      rootId: null,
      withoutId: null,
    },
    limit: 10,
    bySession: false,
  };
}

export interface Room {
  database: string;
  searchIndex: string;
  filled: Filled;
  count: number;
}

export function pairedFigures(
  searcher: Searcher,
  room: Room,
  scopes: readonly ScopeName[],
): Figure[] {
  const plain = createPlain(room);
  try {
    return scopes.flatMap((scope) => pairs(searcher, plain, room, scope));
  } finally {
    plain.close();
  }
}

function pairs(searcher: Searcher, plain: Plain, room: Room, scope: ScopeName): Figure[] {
  const ours = { times: [] as number[], found: 0 };
  const theirs = { times: [] as number[], found: 0 };
  for (let n = -50; n < room.count; n += 1) {
    const known = room.filled.known();
    const ask = [
      () =>
        measure(ours, n, () =>
          searcher.search(requestOf(known, scope)).some((hit) => isOf(hit, known)),
        ),
      () => measure(theirs, n, () => plain.finds(known, scope)),
    ];
    // Who goes first has the store's pages to read.
    for (const side of n % 2 === 0 ? ask : ask.toReversed()) side();
  }
  return figuresOf(scope, ours, theirs, room.count);
}

interface Side {
  times: number[];
  found: number;
}

function measure(side: Side, n: number, search: () => boolean): void {
  const begin = performance.now();
  const isFound = search();
  if (n < 0) return;
  side.times.push(performance.now() - begin);
  side.found += isFound ? 1 : 0;
}

const isOf = (hit: SearchHit, known: Known) =>
  hit.sessionKey === `session${known.session}` && hit.turn === known.turn;

const bounds = {
  session: { p50: 2, p99: 6, ratio: 3 },
  project: { p50: null, p99: 25, ratio: null },
  agent: { p50: null, p99: 25, ratio: null },
  all: { p50: null, p99: 25, ratio: 15 },
} as const;

const titles: Record<ScopeName, string> = {
  session: 'one session',
  project: 'one of fifty projects',
  agent: 'one of fifty agents',
  all: 'all turns',
};

function figuresOf(scope: ScopeName, ours: Side, theirs: Side, count: number): Figure[] {
  const bound = bounds[scope];
  const { ratio, min, max } = ratioOf(theirs.times, ours.times);
  const hits = { ours: ours.found / count, theirs: theirs.found / count };
  const ms = (times: number[]) =>
    `${median(times).toFixed(2)} / ${quantile(times, 0.99).toFixed(1)} ms`;
  return [
    plainFigure(`search, ${titles[scope]}: p99`, quantile(ours.times, 0.99), 'ms', bound.p99),
    ...(bound.p50 === null
      ? []
      : [plainFigure(`search, ${titles[scope]}: p50`, median(ours.times), 'ms', bound.p50)]),
    {
      what: `FTS5 bm25() / ours, ${titles[scope]} (p50 / p99)`,
      ours: ms(ours.times),
      floor: ms(theirs.times),
      ratio: `${ratio.toFixed(1)} (${min.toFixed(1)}-${max.toFixed(1)})`,
      bound: bound.ratio === null ? 'reported' : `>= ${bound.ratio}`,
      isMet: bound.ratio === null ? null : ratio >= bound.ratio,
    },
    {
      what: `the same: known item among the first ten`,
      ours: hits.ours.toFixed(3),
      floor: hits.theirs.toFixed(3),
      ratio: (hits.ours - hits.theirs).toFixed(3),
      bound: '>= -0.01',
      isMet: hits.ours - hits.theirs >= -0.01,
    },
  ];
}

interface Plain {
  finds(known: Known, scope: ScopeName): boolean;
  close(): void;
}

/** What there would be without a ranking of our own: any of the words, best ten by `bm25()`, and their texts. */
function createPlain({ database, searchIndex }: Room): Plain {
  const index = new BetterSqlite3(searchIndex, { readonly: true });
  const main = new BetterSqlite3(database, { readonly: true });
  index.pragma('cache_size = -64000');
  const scopeId = index.prepare('SELECT id FROM scopes WHERE kind = ? AND name = ?').pluck();
  const search = index
    .prepare('SELECT rowid FROM turn_index WHERE turn_index MATCH ? ORDER BY rank LIMIT 10')
    .pluck();
  const read = main.prepare('SELECT session_id, seq, role, at, text FROM turns WHERE id = ?');
  return {
    finds({ words, session, turn }, scope) {
      const idOf = (kind: string, name: string) => String(scopeId.get(kind, name));
      const within = {
        session: () => `scope : "s${session}" AND `,
        project: () => `scope : "p${idOf('project', `${oneAgent}\n${projectOf(session)}`)}" AND `,
        agent: () => `scope : "a${idOf('agent', agentOf(session))}" AND `,
        all: () => '',
      };
      const any = words.map((word) => `"${word}"`).join(' OR ');
      const ids = search.all(`${within[scope]()}text : (${any})`) as number[];
      const rows = ids.map((id) => read.get(id) as { session_id: number; seq: number });
      return rows.some((row) => row.session_id === session && row.seq === turn);
    },
    close() {
      index.close();
      main.close();
    },
  };
}
