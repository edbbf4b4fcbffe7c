/** What a child inherits, out of a store of a million turns: put together alone, and handed out at its start. */
import { configSchema } from '../../contract/config.ts';
import { homePaths } from '../../contract/home.ts';
import { createSearcher } from '../../search/searcher.ts';
import { checkpointAt } from '../../store/checkpoints.ts';
import { contextBlockFor } from '../../store/context-block.ts';
import { putEntity } from '../../store/entities.ts';
import { openStore, type Store } from '../../store/index.ts';
import { findSession, type SessionRow } from '../../store/sessions.ts';
import { appendTurns } from '../../store/turns.ts';
import { alternate, timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { plainFigure, ratioFigure, type Figure } from '../figure.ts';
import type { Row } from '../row.ts';
import { fillSearchStore } from '../search-store.ts';
import { quantile } from '../statistics.ts';
import { post, runStack, withHearing, withHome, type Stack } from '../stack.ts';

const TURNS = 1_000_000;
/** Sessions whose children are asked for, in turns. */
const PARENTS = 50;
/** So many that a parent's turns are forgotten before its next child: each of these is as its first one. */
const FIRST_PARENTS = 200;
const ENTITIES = 200;

export const contextRow: Row = {
  name: 'context',
  measure: ({ quick }) =>
    withHome({}, async (home) => {
      const { database, searchIndex } = homePaths(home);
      const store = openStore(database);
      let figures: Figure[];
      try {
        await fillSearchStore(store, quick ? 20_000 : TURNS);
        figures = await reading(store, quick ? 200 : 5000);
      } finally {
        await store.close();
      }
      // Else the server would be at it while the starts are measured.
      const searcher = createSearcher({ database, index: searchIndex });
      while (searcher.step());
      searcher.close();
      return [...figures, await runStack(home, (stack) => starting(stack, quick ? 20 : 500))];
    }),
};

const keyOf = (n: number) => `session${1 + n}`;

async function reading(store: Store, rounds: number): Promise<Figure[]> {
  const parents = await giveContext(store);
  const config = configSchema.parse({}).memory.pipelineV2.subagents;
  const ask = async (among: SessionRow[]) => {
    const times: number[] = [];
    for (let n = -rounds / 10; n < rounds; n += 1) {
      const parent = among.at(n % among.length)!;
      const ms = await timed(async () => contextBlockFor(store.db, config, parent));
      if (n >= 0) times.push(ms);
    }
    return times;
  };
  const times = await ask(parents.slice(0, PARENTS));
  const firstTimes = await ask(parents.slice(PARENTS));
  return [
    plainFigure('context block, pure read, p50', quantile(times, 0.5), 'ms', 0.15),
    plainFigure('  p99', quantile(times, 0.99), 'ms', 1),
    // Its turns are looked through for names, too. The issue has no figure for that: this one is our own.
    plainFigure('  the first of a parent, p50', quantile(firstTimes, 0.5), 'ms', 0.25),
    plainFigure('    p99', quantile(firstTimes, 0.99), 'ms', 1),
  ];
}

/** Each parent has a checkpoint, turns after it, and things that are known of what it speaks of. */
async function giveContext(store: Store): Promise<SessionRow[]> {
  const parents = Array.from({ length: PARENTS + FIRST_PARENTS }, (_, n) =>
    findSession(store.db, 'default', keyOf(n))!,
  );
  const names = store.db
    .all<{ text: string }>(`SELECT text FROM turns LIMIT ${ENTITIES} OFFSET 1000`)
    .map(({ text }) => text.split(' ').toSorted((a, b) => b.length - a.length)[0]!);
  for (const name of new Set(names)) {
    const attribute = { importance: 0.5, confidence: 1, status: 'active' as const };
    const attributes = [
      { ...attribute, kind: 'constraint' as const, content: `${name} must stay as it is` },
      { ...attribute, kind: 'attribute' as const, content: `${name} is old` },
    ];
    await store.write((tx) =>
      putEntity(tx, 'default', name, { aspects: [{ name: 'use', attributes }] }),
    );
  }
  for (const parent of parents) {
    await store.write((tx) => {
      checkpointAt(tx, parent, 'pre_compaction');
      const said = tx.db.all<{ text: string }>(
        'SELECT text FROM turns WHERE session_id = :id ORDER BY seq LIMIT 8',
        { id: parent.id },
      );
      appendTurns(
        tx,
        parent.id,
        said.map(({ text }) => ({ role: 'user', text })),
      );
    });
  }
  return parents;
}

async function starting(stack: Stack, rounds: number): Promise<Figure> {
  let made = 0;
  const start = () =>
    post(stack.server, '/api/hooks/session-start', {
      ...{ harness: 'opencode', project: '/bench', sessionKey: `child${made}` },
      parentSessionKey: keyOf(made++ % PARENTS),
    }) as Promise<{ inject: string }>;
  return withEcho(stack, (echo) =>
    withHearing(stack, async (untilHeard) => {
      const answer = await start();
      if (!answer.inject.includes('must stay as it is'))
        throw new Error('a child inherited nothing');
      const times = await alternate(
        { rounds, warmUp: Math.ceil(rounds / 10) },
        async () => {
          const ms = await timed(start);
          await untilHeard();
          return ms;
        },
        () => timed(() => post(echo, '/', answer)),
      );
      return ratioFigure('session-start of a child / echo of its answer + flush', times, {
        atMost: 2,
      });
    }),
  );
}
