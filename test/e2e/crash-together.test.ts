import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  agentsOf,
  crashConfig,
  expectRunOnce,
  expectTruthfulTree,
  expectTrueTree,
  isLiving,
  startTree,
  untilGone,
  untilGrown,
} from './crash-fixture.ts';
import { startDetachedStack, type DetachedStack } from './detached-stack.ts';
import { until } from './stack.ts';

let stack: DetachedStack;
beforeAll(async () => void (stack = await startDetachedStack(crashConfig)), 60_000);
afterAll(() => stack.remove(), 60_000);

test('server and engine killed together under a tree cost nothing', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  stack.kill('server', 'engine');
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
}, 60_000);

test('server and host killed together: what may be repeated is, and the tree is as it would have been', async () => {
  const root = await startTree(stack.client, 'demo-again');
  await untilGrown(stack.client, root);
  const orphans = agentsOf(stack.home);
  stack.kill('server', 'host');
  await expectTrueTree(stack, root);
  await untilGone(orphans);
  expect(agentsOf(stack.home)).toEqual([]);
}, 60_000);

test('all three killed together: what may not be repeated says so, up to the root', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  stack.kill('server', 'host', 'engine');
  await expectTruthfulTree(stack, root);
  expect(agentsOf(stack.home)).toEqual([]);
  const after = await stack.client.call('runSubagent', { runnerId: 'sh', prompt: 'echo good' });
  expect(after).toMatchObject({ status: 'completed', result: { content: 'good' } });
}, 60_000);

test('a launcher that is killed leaves everything running; the next one adopts the survivors and keeps them up', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  const before = stack.pids();
  const launcher = stack.pid('launcher');
  stack.kill('launcher');
  await untilGone([launcher]);
  expect((await stack.up()).wasRunning).toBe(false);
  expect(stack.pids()).toEqual(before);
  expect((await stack.up()).wasRunning).toBe(true);
  expect(stack.pids()).toEqual(before);
  stack.kill('server');
  await until(
    async () => stack.pid('server'),
    (pid) => pid !== before[0] && isLiving(pid),
  );
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
}, 60_000);

test('a launcher that dies with the server under it is followed by one that starts what is missing', async () => {
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  const [, host, engine] = stack.pids();
  stack.kill('launcher', 'server');
  await until(
    async () => agentsOf(stack.home).length,
    (count) => count <= 6,
  );
  await stack.up();
  expect([stack.pid('host'), stack.pid('engine')]).toEqual([host, engine]);
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
}, 60_000);
