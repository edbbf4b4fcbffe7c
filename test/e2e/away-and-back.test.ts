/**
 * Long absences, shortened: what an absence could use up is shorter than it, by the configuration or in a
 * build of its own. Not crossed: the patience of agents that we run, which is longer in both; the minute for
 * which a launcher waits for an engine that starts; the pauses, a minute at most, before a message is tried
 * again that an engine which is there did not take: one that is away takes none, and makes none wait longer.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { discover } from '../../client/index.ts';
import { limits } from '../../contract/limits.ts';
import {
  crashConfig,
  expectNoRepeats,
  isLiving,
  quickRestarts,
  untilAgents,
  untilRunning,
} from './crash-fixture.ts';
import { startDetachedStack } from './detached-stack.ts';
import { heldEngine, type HeldEngine } from './held-engine.ts';
import { impatience, impatientBuild, patience } from './impatient-build.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let engine: HeldEngine;

/** Ten minutes are longer than every wait here; so is this, with the waits made short. */
const awayMs = 8_000;
const impatient = { slots: 8, hostWaitSeconds: 1, sessionIdleSeconds: 1 };

beforeAll(async () => {
  engine = await heldEngine('away');
  stack = await startStack({
    config: { ...crashConfig, limits: impatient },
    timing: quickRestarts,
    env: engine.env,
    entry: await impatientBuild(),
  });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

/** What an absence does not use up: of hooks and searches, of backups, of programs that are to end, of what they say. */
const others = [
  ...['backupLookMs', 'claimMs', 'hookInputMs', 'hookMs', 'killGraceMs', 'outputTurnMs'],
  ...['keptHooksEveryMs', 'lateSessionMs', 'searchWaitMs'],
];

test('an absence here is to the waits of this build what a minute is to those that are shipped', () => {
  expect(awayMs).toBeGreaterThan(1000 * Math.max(...Object.values(impatience)));
  expect((1000 * patience.agentServerAwayMs) / awayMs).toBe(limits.agentServerAwayMs / 60_000);
  const waits = Object.keys(limits).filter((name) => name.endsWith('Ms'));
  const known = [...Object.keys(impatience), ...Object.keys(patience), ...others];
  expect(waits.toSorted()).toEqual(known.toSorted());
});

const workspace = () => stack.home;
const one = (name: string, more: object = {}) =>
  stack.start(`echo ${name} >> ${workspace()}/launches; echo ${name}`, { runnerId: 'sh', ...more });

/** Accepts so many, one after the other, and says how long each took, in order of length. */
async function acceptAll(names: string[], more: (name: string) => object = () => ({})) {
  const ids: string[] = [];
  const took: number[] = [];
  for (const name of names) {
    const from = performance.now();
    ids.push((await one(name, more(name))).id);
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  return { ids, medianMs: took[Math.floor(took.length / 2)]!, worstMs: took.at(-1)! };
}

const count = (sql: string) => rows<{ n: number }>(stack.home, sql)[0]!.n;

test('200 invocations accepted while Temporal is down for longer than every patience run once each meanwhile, and are all in it when it is back; accepting stays as fast', async () => {
  await stack.client.call('registerSession', { key: 'main' });
  const names = (kind: string, n: number) => Array.from({ length: n }, (_, i) => `${kind}-${i}`);
  const up = await acceptAll(names('up', 50));
  for (const id of up.ids) await stack.ended(id);
  const unstarted = `SELECT count(*) AS n FROM subagent_sessions WHERE engine_state = 'unstarted'`;
  await until(
    async () => count(unstarted),
    (n) => n === 0,
  );

  engine.hold();
  const awayFrom = Date.now();
  stack.kill('engine');
  await until(
    () => stack.client.call('getHealth', {}),
    (health) => !health.engine.connected,
  );
  // Every fifth one tells an external session, which is told through the engine as well.
  const callback = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' };
  const down = await acceptAll(names('down', 200), (name) => (/[05]$/.test(name) ? callback : {}));
  const called = names('down', 200).filter((name) => /[05]$/.test(name)).length;
  process.stderr.write(
    `accepting: median ${up.medianMs.toFixed(1)} ms with the engine, ${down.medianMs.toFixed(1)} ms without, worst ${down.worstMs.toFixed(0)} ms\n`,
  );
  // Both were measured on this machine a moment ago, whatever else it does. Waiting for the engine would take seconds.
  expect(down.medianMs).toBeLessThan(4 * up.medianMs + 50);
  for (const id of down.ids) expect((await stack.ended(id, 60)).status).toBe('completed');
  // From here on its start hangs no more: it ends at once, more often than a first start may.
  const before = engine.starts();
  engine.hold('ends');
  await until(
    async () => engine.starts(),
    (n) => n > before + 6,
  );
  await sleep(Math.max(0, awayMs - (Date.now() - awayFrom)));
  expect(count(unstarted)).toBe(200);
  engine.release();
  const launches = readFileSync(join(stack.home, 'launches'), 'utf8').trim().split('\n');
  const wanted = [...names('up', 50), ...names('down', 200)];
  expect(launches.toSorted()).toEqual(wanted.toSorted());
  expect(count('SELECT count(*) AS n FROM runs')).toBe(250);
  expect(count(`SELECT count(*) AS n FROM mailbox`)).toBe(called);
  await until(
    () => stack.client.call('getHealth', {}),
    ({ outbox }) => outbox.rows === 0,
    90,
  );
  // Each is there with its ending.
  expect(count(unstarted)).toBe(0);
  const { address, namespace } = discover(stack.home).server.temporal;
  const connection = await Connection.connect({ address: address! });
  try {
    const { workflow } = new Client({ connection, namespace });
    const query = `WorkflowType = 'subAgent' AND ExecutionStatus = 'Completed'`;
    // By name: one that is asked for again in the moment in which it ends begins again, hears so, and ends.
    const ended = async () => {
      const found = new Set<string>();
      for await (const { workflowId } of workflow.list({ query })) found.add(workflowId);
      return found.size;
    };
    await until(ended, (found) => found === 250, 90);
  } finally {
    await connection.close();
  }
}, 300_000);

test('while the server is away agents go on; what they say, how they end and what they ask for arrives once, when it is back', async () => {
  // Longer than the absence: a host that gives its agents up is another test's.
  const lease = { slots: 16, leaseMinutes: 1, hostWaitSeconds: 1, killGraceSeconds: 1 };
  const entry = await impatientBuild();
  const away = await startDetachedStack({ ...crashConfig, limits: lease }, entry);
  try {
    const start = (prompt: string, runnerId = 'sh') =>
      away.client.call('runSubagent', { runnerId, executionMode: 'ASYNC_POLL', prompt });
    const ends = await start('for i in $(seq 1 20); do echo line $i; sleep 0.2; done; echo end');
    const fails = await start('sleep 2; echo why >&2; exit 3');
    const goesOn = await start(
      'for i in $(seq 1 100); do echo tick $i; sleep 0.15; done; echo end',
    );
    const parent = await start('spawn callback as child: { sleep 3; say blue }; say asked', 'demo');
    for (const { id } of [ends, fails, goesOn]) await untilRunning(away.client, id);
    await until(
      () => away.client.call('getSubagent', { id: parent.id }),
      ({ status }) => status === 'waiting',
    );
    // None is just being claimed: a claim whose answer is lost begins anew, under another number.
    await until(
      () => away.client.call('listSubagents', { runnerId: 'demo' }),
      ({ items }) => items.some(({ title, status }) => title === 'child' && status === 'running'),
    );
    // They ask four seconds from now, when nobody is there: by the library, as a model's tool, on the command line.
    const waits = await start('spawn poll as slow runner sh: { sleep 4; echo blue }; wait', 'demo');
    const asks = [
      await start('sleep 4; spawn SYNC as red runner sh: echo red', 'demo'),
      await start('sleep 4; spawn-mcp SYNC as red runner sh: echo red', 'demo'),
      await start(`sleep 4; "${process.execPath}" "${entry('cli')}" run sh 'echo red' < /dev/null`),
    ];
    for (const { id } of [waits, ...asks]) await untilAgents(away.home, 1, id);
    const host = away.pid('host');
    away.kill('launcher', 'server');
    const killedAt = Date.now();
    await sleep(awayMs);
    expect(isLiving(host)).toBe(true);
    await away.up();
    const ended = async (id: string) =>
      until(
        () => away.client.call('getSubagent', { id }),
        ({ completedAt }) => completedAt !== null,
      );
    const lines = (word: string, n: number) =>
      Array.from({ length: n }, (_, i) => `${word} ${i + 1}`);
    for (const [record, said] of [
      [ends, [...lines('line', 20), 'end']],
      [goesOn, [...lines('tick', 100), 'end']],
    ] as const) {
      expect(await ended(record.id)).toMatchObject({ result: { content: said.join('\n') } });
      const turns = await away.transcript(record.id);
      expectNoRepeats(turns);
      const output = turns.filter(({ role }) => role === 'stdout').map(({ text }) => text);
      expect(output.join('')).toBe(`${said.join('\n')}\n`);
    }
    expect(await ended(fails.id)).toMatchObject({ errorCode: 'exit_nonzero' });
    expect(await ended(parent.id)).toMatchObject({
      status: 'completed',
      result: { content: 'child completed: blue' },
    });
    const waited = 'slow started (ASYNC_POLL)\nslow completed: blue';
    expect(await ended(waits.id)).toMatchObject({ result: { content: waited } });
    for (const { id, sessionKey } of asks) {
      expect((await ended(id)).result?.content).toMatch(/^(red completed: )?red$/);
      const { items } = await away.client.call('listSubagents', { parentSessionId: sessionKey });
      expect(items.map(({ createdAt }) => Date.parse(createdAt) > killedAt + awayMs)).toEqual([
        true,
      ]);
    }
    const told = (await away.transcript(parent.id)).filter(({ role }) => role === 'callback');
    expect(told).toHaveLength(1);
    // One process each, and one more for the parent's second turn: none was lost, and none repeated.
    const runs = rows<{ state: string; n: number }>(
      away.home,
      'SELECT state, count(*) AS n FROM runs GROUP BY state',
    );
    expect(runs).toEqual([{ state: 'ended', n: 6 + 2 + 2 * asks.length }]);
  } finally {
    await away.remove();
  }
}, 120_000);
