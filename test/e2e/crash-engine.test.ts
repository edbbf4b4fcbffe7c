import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, rmSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { release, untilFile } from './agents.ts';
import {
  crashConfig,
  expectRunOnce,
  expectTrueTree,
  quickRestarts,
  startTree,
  untilGrown,
  untilRunning,
} from './crash-fixture.ts';
import { engineHands } from './engine-hands.ts';
import { heldEngine, type HeldEngine } from './held-engine.ts';
import { runsOf } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let engine: HeldEngine;

beforeAll(async () => {
  engine = await heldEngine('crash');
  stack = await startStack({ config: crashConfig, timing: quickRestarts, env: engine.env });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const get = (id: string) => stack.client.call('getSubagent', { id });
const { untilBack, withEngineDown, withEngine, closeOf } = engineHands(
  () => stack,
  () => engine,
);

test('an engine that is killed under a tree costs nothing', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  stack.kill('engine');
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
}, 60_000);

test('an engine whose database is deleted under a tree is filled again from the store', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  await withEngineDown(async () => {
    rmSync(homePaths(stack.home).engineData, { recursive: true });
  });
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
}, 60_000);

test('what runs while the database of the engine is lost is in the new one, under the right parents', async () => {
  const leaf = `spawn callback as leaf runner sh: { ${untilFile('go')}; echo leaf }`;
  const root = await stack.start(`spawn callback as middle: { ${leaf}; say asked }; say asked`, {
    title: 'root',
  });
  const list = () => stack.client.call('listSubagents', { rootSessionId: root.sessionKey });
  const isGrown = ({ items }: Awaited<ReturnType<typeof list>>) =>
    items.length === 3 && items.every(({ status }) => ['running', 'waiting'].includes(status));
  const { items } = await until(list, (found) => {
    const waiting = found.items.filter(({ status }) => status === 'waiting');
    return isGrown(found) && waiting.length === 2;
  });
  await withEngineDown(async () => {
    rmSync(homePaths(stack.home).engineData, { recursive: true });
  });
  const idOf = (title: string) => items.find((record) => record.title === title)!.workflowId;
  const parents = [
    [idOf('root'), undefined],
    [idOf('middle'), idOf('root')],
    [idOf('leaf'), idOf('middle')],
  ];
  const found = () =>
    withEngine(async ({ workflow }) =>
      Promise.all(
        parents.map(async ([id]) => {
          const { status, parentExecution } = await workflow.getHandle(id!).describe();
          return [status.name, parentExecution?.workflowId];
        }),
      ).catch(() => null),
    );
  await until(found, (described) => described !== null);
  expect(await found()).toEqual(parents.map(([, parent]) => ['RUNNING', parent]));
  release(root, 'go');
  expect(await stack.ended(root.id)).toMatchObject({
    result: { content: 'middle completed: leaf completed: leaf' },
  });
}, 60_000);

test('what is asked for while the engine is down runs at once, and is in the engine when it is back', async () => {
  const early = await stack.start(`${untilFile('go')}; echo early`, { runnerId: 'sh' });
  await untilRunning(stack.client, early.id);
  const late = await withEngineDown(async () => {
    await untilBack(false);
    const ended = await sync('echo late');
    expect(ended).toMatchObject({
      status: 'completed',
      result: { content: expect.stringContaining('late') },
    });
    release(early, 'go');
    expect(await stack.ended(early.id)).toMatchObject({ result: { content: 'early' } });
    return ended;
  });
  expect(await workflowOf(late)).toBe('COMPLETED');
  expect(await workflowOf(early)).toBe('COMPLETED');
  expect(launchesOf([early.id, late.id])).toEqual([1, 1]);
}, 60_000);

test('an engine that stands still keeps nobody waiting: a SYNC call is answered, a callback comes, and nothing is started twice', async () => {
  const pid = stack.pid('engine');
  process.kill(pid, 'SIGSTOP');
  let records: SubAgentRecord[];
  try {
    const root = await sync('echo root');
    const parent = await stack.start('spawn callback as child runner sh: echo child; say asked');
    const told = await stack.ended(parent.id);
    expect(told).toMatchObject({ result: { content: 'child completed: child' } });
    // Before the launcher takes it for dead, and starts another one.
    expect(stack.pid('engine')).toBe(pid);
    const { items } = await stack.client.call('listSubagents', {
      parentSessionId: parent.sessionKey,
    });
    records = [root, told, items[0]!];
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  for (const record of records) expect(await workflowOf(record)).toBe('COMPLETED');
  expect(launchesOf(records.map(({ id }) => id))).toEqual([1, 2, 1]);
  const child = await withEngine(({ workflow }) =>
    workflow.getHandle(records[2]!.workflowId).describe(),
  );
  expect(child.parentExecution?.workflowId).toBe(records[1]!.workflowId);
}, 60_000);

const sync = (prompt: string) =>
  stack.client.call('runSubagent', { runnerId: 'sh', prompt, executionMode: 'SYNC' });

const workflowOf = async (record: SubAgentRecord) => (await closeOf(record)).status;

const launchesOf = (ids: string[]) => ids.map((id) => runsOf(stack.home, id));

test('an engine that comes back without its last moments is told them again: what has ended meanwhile ends in it, too', async () => {
  const { engineData } = homePaths(stack.home);
  const copy = `${engineData}-before`;
  const waitingFor = async (file: string) => {
    const { id } = await stack.start(
      `spawn callback as child runner sh: { ${untilFile(file)}; echo child }; say asked`,
    );
    return until(
      () => get(id),
      ({ status }) => status === 'waiting',
    );
  };
  const waiting = await waitingFor('end');
  const over = await waitingFor('over');
  await withEngineDown(async () => cpSync(engineData, copy, { recursive: true }));
  await untilBack();
  release(over, 'over');
  await stack.ended(over.id);
  const { items } = await stack.client.call('listSubagents', { parentSessionId: over.sessionKey });
  const ended = [over, items[0]!];
  const closedFirst = await Promise.all(ended.map(closeOf));
  // A host that stands still takes nothing, so what the engine is told now has no effect but there.
  const host = stack.pid('host');
  process.kill(host, 'SIGSTOP');
  try {
    const forgotten = await stack.start('echo new', { runnerId: 'sh' });
    await until(
      () => stack.client.call('getHealth', {}),
      ({ outbox }) => outbox.rows === 0,
    );
    await withEngineDown(async () => {
      // Only a crash of the machine makes an engine forget, and that takes the server along.
      stack.kill('server');
      rmSync(engineData, { recursive: true });
      cpSync(copy, engineData, { recursive: true });
    });
    await untilBack();
    process.kill(host, 'SIGCONT');
    release(waiting, 'end');
    expect(await stack.ended(forgotten.id)).toMatchObject({ result: { content: 'new' } });
    // They were open in it, and have closed a second time, without running anything.
    const closedAgain = await Promise.all(ended.map(closeOf));
    for (const [i, { status, at }] of closedAgain.entries()) {
      expect([status, at > closedFirst[i]!.at]).toEqual(['COMPLETED', true]);
    }
    expect(launchesOf(ended.map(({ id }) => id))).toEqual([2, 1]);
  } finally {
    process.kill(host, 'SIGCONT');
  }
  expect(await stack.ended(waiting.id)).toMatchObject({
    result: { content: 'child completed: child' },
  });
}, 60_000);
