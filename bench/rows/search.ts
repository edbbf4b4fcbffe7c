/** Search in a store of a million turns: how long it takes, beside FTS5's own ranking over the same index. */
import { statSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { createSearcher } from '../../search/searcher.ts';
import { startSearch, type RunningSearch } from '../../search/start-search.ts';
import { openStore, type Store } from '../../store/index.ts';
import { appendTurn } from '../../store/turns.ts';
import { timed } from '../alternate.ts';
import { plainFigure, shareFigure, type Figure } from '../figure.ts';
import { pairedFigures, requestOf, type Filled, type Known } from '../search-pairs.ts';
import type { Row } from '../row.ts';
import { quantile } from '../statistics.ts';
import { withHome } from '../stack.ts';
import { createRandom, createTalk } from '../talk.ts';

const TURNS = 1_000_000;
const TURNS_OF_SESSION = 205;
/** As many as there might be agents: a project's part of all turns costs what an agent's does. */
const PARTS = 50;

export const searchRow: Row = {
  name: 'search',
  measure: ({ quick }) =>
    withHome({}, async (home) => {
      const turns = quick ? 50_000 : TURNS;
      const { database, searchIndex } = homePaths(home);
      const store = openStore(database);
      try {
        const filled = await fill(store, turns);
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
          ...pairedFigures(searcher, { database, searchIndex, filled, count: quick ? 200 : 2000 }),
        ];
        searcher.close();
        return [...figures, ...(await throughThread(home, store, filled, quick))];
      } finally {
        await store.close();
      }
    }),
};

/** As hooks would leave it, with ids that say which session a turn is of. */
async function fill(store: Store, turns: number): Promise<Filled> {
  const talk = createTalk(7);
  const sessions = Math.ceil(turns / TURNS_OF_SESSION);
  let textBytes = 0;
  await store.write(({ db }) => {
    db.run(`INSERT INTO agents (id, name) VALUES ('default', 'default')`);
    for (let n = 1; n <= sessions; n += 1) {
      db.run(
        `INSERT INTO sessions (id, agent_id, session_key, kind, project, last_seq, created_at, updated_at)
         VALUES (:n, 'default', :key, 'external', :project, ${TURNS_OF_SESSION}, :at, :at)`,
        {
          n,
          key: `session${n}`,
          project: `/project/${n % PARTS}`,
          at: timeOf(n),
        },
      );
    }
  });
  for (let done = 0; done < turns;) {
    await store.write(({ db }) => {
      for (const end = Math.min(turns, done + 2000); done < end; done += 1) {
        const session = sessionOf(done + 1);
        const text = talk.turn(session);
        textBytes += Buffer.byteLength(text);
        db.run(
          `INSERT INTO turns (id, session_id, seq, role, at, text)
           VALUES (:id, :session, :seq, :role, :at, :text)`,
          {
            id: done + 1,
            session,
            seq: seqOf(done + 1),
            role: done % 2 === 0 ? 'user' : 'assistant',
            at: timeOf(session),
            text,
          },
        );
      }
    });
  }
  return { textBytes, known: knownItems(store, turns) };
}

const sessionOf = (turnId: number) => 1 + Math.floor((turnId - 1) / TURNS_OF_SESSION);
const seqOf = (turnId: number) => 1 + ((turnId - 1) % TURNS_OF_SESSION);
const timeOf = (session: number) =>
  new Date(Date.UTC(2025, 0, 1) + session * 3_600_000).toISOString();

/** One to five words of a random turn that are none of the hundred commonest. */
function knownItems(store: Store, turns: number): () => Known {
  const random = createRandom(11);
  const common = new Set<string>();
  const counted = new Map<string, number>();
  for (let n = 0; n < 500; n += 1) {
    for (const word of textOf(store, 1 + n * Math.floor(turns / 500)).split(' ')) {
      counted.set(word, (counted.get(word) ?? 0) + 1);
    }
  }
  for (const [word] of [...counted].toSorted((a, b) => b[1] - a[1]).slice(0, 100)) common.add(word);
  return () => {
    for (;;) {
      const turnId = 1 + Math.floor(random() * turns);
      const all = textOf(store, turnId).split(' ');
      const words = all.filter((word) => !common.has(word));
      if (words.length < 5) continue;
      const count = 1 + Math.floor(random() * 5);
      const picked = Array.from(
        { length: count },
        () => words[Math.floor(random() * words.length)]!,
      );
      return { words: picked, session: sessionOf(turnId), turn: seqOf(turnId) };
    }
  };
}

const textOf = (store: Store, id: number) =>
  store.db.get<{ text: string }>('SELECT text FROM turns WHERE id = :id', { id })!.text;

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
