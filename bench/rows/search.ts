/** Search in a store of a million turns: how long it takes, beside FTS5's own ranking over the same index. */
import { statSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { createSearcher } from '../../search/searcher.ts';
import { startSearch, type RunningSearch } from '../../search/start-search.ts';
import { openStore, type Store } from '../../store/index.ts';
import { appendTurn } from '../../store/turns.ts';
import { timed } from '../alternate.ts';
import { plainFigure, shareFigure, type Figure } from '../figure.ts';
import { pairedFigures, requestOf, type Room } from '../search-pairs.ts';
import type { Row } from '../row.ts';
import { fillSearchStore, shareAmongAgents, type Filled, type Known } from '../search-store.ts';
import { quantile } from '../statistics.ts';
import { withHome } from '../stack.ts';
import { createTalk } from '../talk.ts';

const TURNS = 1_000_000;

export const searchRow: Row = {
  name: 'search',
  measure: ({ quick }) =>
    withHome({}, async (home) => {
      const turns = quick ? 50_000 : TURNS;
      const { database, searchIndex } = homePaths(home);
      const store = openStore(database);
      try {
        const filled = await fillSearchStore(store, turns);
        const room = { database, searchIndex, filled, count: quick ? 200 : 2000 };
        const searcher = createSearcher({ database, index: searchIndex });
        const begin = performance.now();
        while (searcher.step());
        const seconds = (performance.now() - begin) / 1000;
        const bytes = statSync(searchIndex).size;
        const figures = [
          plainFigure(
            `rebuild of the index, per 1 M turns (${turns})`,
            (seconds * TURNS) / turns,
            's',
            60,
          ),
          shareFigure('index bytes / text bytes', bytes / filled.textBytes, 0.4),
          ...pairedFigures(searcher, room, ['session', 'project', 'all']),
        ];
        searcher.close();
        return [
          ...figures,
          ...(await throughThread(home, store, filled, quick)),
          ...(await byAgent(store, { ...room, searchIndex: `${searchIndex}-agents` })),
        ];
      } finally {
        await store.close();
      }
    }),
};

/** In a store of fifty agents, each of which finds only its own. */
async function byAgent(store: Store, room: Room): Promise<Figure[]> {
  await shareAmongAgents(store);
  const searcher = createSearcher({ database: room.database, index: room.searchIndex });
  try {
    while (searcher.step());
    return pairedFigures(searcher, room, ['agent']);
  } finally {
    searcher.close();
  }
}

/** As the server asks: through the thread, which first looks whether anything is new. */
async function throughThread(
  home: string,
  store: Store,
  filled: Filled,
  quick: boolean,
): Promise<Figure[]> {
  const { database, searchIndex } = homePaths(home);
  const running = startSearch({ store, database, index: searchIndex, log: console.error });
  try {
    const times: number[] = [];
    for (let n = -100; n < (quick ? 200 : 2000); n += 1) {
      const request = requestOf(filled.known(), 'session');
      const took = await timed(() => running.search(request));
      if (n >= 0) times.push(took);
    }
    return [
      plainFigure('session search through its thread, p50', quantile(times, 0.5), 'ms', 2),
      plainFigure('session search through its thread, p99', quantile(times, 0.99), 'ms', 6),
      await foundAtOnce(store, running, quick ? 500 : 10_000),
    ];
  } finally {
    await running.stop();
  }
}

/** Said, acknowledged, searched: each of them must be found by the very next search. */
async function foundAtOnce(store: Store, running: RunningSearch, count: number): Promise<Figure> {
  const talk = createTalk(13);
  let missed = 0;
  for (let n = 0; n < count; n += 1) {
    const session = 1 + (n % 40);
    const text = `${talk.turn(session)} unheard${n}`;
    await store.write((tx) => appendTurn(tx, { sessionId: session, role: 'user', text }));
    const known: Known = { words: [`unheard${n}`], session, turn: 0 };
    const hits = await running.search(requestOf(known, n % 2 === 0 ? 'session' : 'all'));
    if (hits.length !== 1) missed += 1;
  }
  return plainFigure(`of ${count} acknowledged turns, not found by the next search`, missed, '', 0);
}
