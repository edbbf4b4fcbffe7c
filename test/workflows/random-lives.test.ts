/**
 * Random short lives on the real engine: the store's random lives (test/fuzz/) play the engine and the
 * hosts; here both are real, and so are the relay, the workflows and the comparing of store and engine.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { agentSessionWorkflowId, subAgentWorkflowId } from '../../contract/names.ts';
import { startKeeper } from '../../worker/keeper.ts';
import { until } from '../e2e/stack.ts';
import { leftRows } from '../fuzz/drain.ts';
import { brokenRows } from '../fuzz/invariants.ts';
import { watchRows } from '../fuzz/watch-rows.ts';
import { deeds, live, quietDeeds, type Deed } from './random-deeds.ts';
import { withHome, type Home, type Program } from './with-home.ts';

const SEED = 20260801;
const LIVES = 4;
const DEEDS_MAX = 16;
/** Twice what an outbox row without effect waits to be sent again, which some deeds by hand bring about. */
const REST_SECONDS = 60;
/** Less than that: a message that came to nothing would be sent again, and nobody would see that it did. */
const QUIET_REST_SECONDS = 25;
const QUIET_LIVES = 3;
const QUIET_DEEDS = 40;

/** A program takes as many milliseconds as its prompt says, and none to read what it is told. */
const play: Program = async ({ prompt }, signal) => {
  const ms = Number(/^\d+/.exec(prompt)?.[0] ?? 0);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
  return 'done';
};

test('no order of requests, restarts and deeds by hand leaves anything open, untold or run twice', async () => {
  const lives = fc.array(deeds, { minLength: 8, maxLength: DEEDS_MAX, size: 'max' });
  await fc.assert(
    fc.asyncProperty(lives, (life) =>
      withHome(play, (home) => oneLife(home, life), { slots: 3, sessionIdleMs: 200 }),
    ),
    // A life takes seconds: its list of deeds is short enough as it is.
    { seed: SEED, numRuns: LIVES, endOnFailure: true },
  );
}, 240_000);

test('where nobody lays hands on engine or host, all comes to rest before anything would be sent again', async () => {
  const lives = fc.array(quietDeeds, { minLength: 20, maxLength: QUIET_DEEDS, size: 'max' });
  await fc.assert(
    fc.asyncProperty(lives, (life) =>
      withHome(play, (home) => oneLife(home, life, QUIET_REST_SECONDS), {
        slots: 6,
        sessionIdleMs: 200,
        // As it is shipped. Sooner, it would mend what was not sent or not heard.
        compareMs: 60_000,
      }),
    ),
    { seed: SEED, numRuns: QUIET_LIVES, endOnFailure: true },
  );
}, 240_000);

async function oneLife(home: Home, life: Deed[], restSeconds = REST_SECONDS): Promise<void> {
  const { store, deps } = home;
  watchRows(store.db, deps.config().limits.maxChildren);
  const key = `main-${randomUUID()}`;
  await home.ask('registerSession', { key });
  const stopKeeper = startKeeper(store, deps.config, () => {});
  try {
    for (const deed of life) {
      await live(home, key, deed);
      expect([deed, brokenRows(store.db)]).toEqual([deed, []]);
    }
    await atRest(home, key, restSeconds);
  } finally {
    stopKeeper();
  }
}

async function atRest(home: Home, key: string, seconds: number): Promise<void> {
  const { store, client } = home;
  await until(
    async () => leftRows(store.db),
    (left) => left.length === 0,
    seconds,
  );
  const rows = store.db.all<{ id: string; runner_id: string }>('SELECT * FROM subagent_sessions');
  const workflows = [
    ...rows.map(({ id }) => subAgentWorkflowId(id)),
    agentSessionWorkflowId('default', key),
  ];
  await until(
    () => runningOf(client, workflows),
    (running) => running.length === 0,
    seconds,
  );
  expect(brokenRows(store.db)).toEqual([]);
  for (const { id } of rows.filter((row) => row.runner_id !== 'again')) {
    const { turns } = store.db.get<{ turns: number }>(
      'SELECT count(DISTINCT turn) AS turns FROM runs WHERE invocation_id = :id',
      { id },
    )!;
    expect([id, home.launches(id) <= turns]).toEqual([id, true]);
  }
}

async function runningOf(client: Home['client'], ids: string[]): Promise<string[]> {
  const found = await Promise.all(
    ids.map((id) =>
      client.workflow
        .getHandle(id)
        .describe()
        .catch(() => null),
    ),
  );
  return ids.filter((_, index) => found[index]?.status.name === 'RUNNING');
}
