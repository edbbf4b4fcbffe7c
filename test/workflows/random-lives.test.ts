/**
 * Random short lives on the real engine: the store's random lives (test/fuzz/) play the engine and the
 * hosts; here both are real, and so are the relay, the workflows and the comparing of store and engine.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { subAgentWorkflowId } from '../../contract/names.ts';
import { startKeeper } from '../../worker/keeper.ts';
import { until } from '../e2e/stack.ts';
import { leftRows } from '../fuzz/drain.ts';
import { brokenRows } from '../fuzz/invariants.ts';
import { watchRows } from '../fuzz/watch-rows.ts';
import { statusOf } from './gated-programs.ts';
import { deeds, live, quietDeeds, type Deed } from './random-deeds.ts';
import { withHome, workflowsOf, type Home, type Program } from './with-home.ts';

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
      withHome(
        play,
        async (home) => {
          // Connected: most of so short a life would be over before.
          await home.untilBegun((await home.start({ prompt: '0 ms' })).id);
          await oneLife(home, life);
        },
        { slots: 3, sessionIdleMs: 200 },
      ),
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
    await atRest(home, restSeconds);
  } finally {
    stopKeeper();
  }
}

async function atRest(home: Home, seconds: number): Promise<void> {
  const { store } = home;
  await until(
    async () => leftRows(store.db),
    (left) => left.length === 0,
    seconds,
  );
  const rows = store.db.all<{ id: string; runner_id: string }>('SELECT * FROM subagent_sessions');
  await until(
    () => leftInEngine(home),
    (left) => left.length === 0,
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

/** Nothing goes on there, and what had not ended when an engine was lost is in the one that came. */
async function leftInEngine(home: Home): Promise<string[]> {
  const lostUntil = home.lostUntil();
  if (lostUntil === null) return ['a lost engine has not come back'];
  const ended = home.store.db.all<{ id: string }>(
    'SELECT id FROM subagent_sessions WHERE completed_at > :lostUntil',
    { lostUntil },
  );
  const isToBeThere = new Set(ended.map(({ id }) => subAgentWorkflowId(id)));
  const asked = workflowsOf(home).map(async (id) => {
    const status = await statusOf(home.client, id);
    const isLeft = status === 'RUNNING' || (status === 'missing' && isToBeThere.has(id));
    return isLeft ? [`${id} is ${status}`] : [];
  });
  return (await Promise.all(asked)).flat();
}
