import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { homePaths } from '../../contract/home.ts';
import { testBinary } from '../support/test-engine.ts';
import { release, untilFile } from './agents.ts';
import {
  crashConfig,
  expectRunOnce,
  expectTrueTree,
  isLiving,
  quickRestarts,
  startTree,
  untilGrown,
  untilRunning,
} from './crash-fixture.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
/** While this file is there, an engine that is started does not get up. */
const hold = join(tmpdir(), 'hold-engine');
const wrapper = join(tmpdir(), 'temporal-on-hold');

beforeAll(async () => {
  const { path } = await testBinary();
  const script = `#!/bin/sh\nwhile [ -e ${hold} ]; do sleep 0.05; done\nexec ${path} "$@"\n`;
  writeFileSync(wrapper, script, { mode: 0o755 });
  const env = { OFFSHOOT_TEMPORAL_BIN: wrapper };
  stack = await startStack({ config: crashConfig, timing: quickRestarts, env });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const get = (id: string) => stack.client.call('getSubagent', { id });
const untilBack = (connected = true) =>
  until(
    () => stack.client.call('getHealth', {}),
    ({ engine }) => engine.connected === connected,
  );

/** Kills the engine, does something while it is down, and lets it come back. */
async function withEngineDown<T>(work: () => Promise<T>): Promise<T> {
  writeFileSync(hold, '');
  try {
    const pid = stack.pid('engine');
    stack.kill('engine');
    await until(
      async () => isLiving(pid),
      (lives) => !lives,
    );
    return await work();
  } finally {
    rmSync(hold);
  }
}

async function withEngine<T>(look: (client: Client) => Promise<T>): Promise<T> {
  const { engine } = await stack.client.call('getHealth', {});
  const connection = await Connection.connect({ address: engine.address! });
  try {
    return await look(new Client({ connection, namespace: engine.namespace }));
  } finally {
    await connection.close();
  }
}

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

test('what is accepted while the engine is down says so, and runs as soon as it is back', async () => {
  const early = await stack.start(`${untilFile('go')}; echo early`, { runnerId: 'sh' });
  await untilRunning(stack.client, early.id);
  const late = await withEngineDown(async () => {
    await untilBack(false);
    const accepted = await stack.start('echo late', { runnerId: 'sh' });
    expect(accepted).toMatchObject({ status: 'pending' });
    expect(accepted.pendingReason).toContain('the engine is down');
    // Results do not wait for it.
    release(early, 'go');
    expect(await stack.ended(early.id)).toMatchObject({ result: { content: 'early' } });
    expect((await get(accepted.id)).status).toBe('pending');
    return accepted;
  });
  await untilBack();
  const backAt = Date.now();
  expect(await stack.ended(late.id)).toMatchObject({ result: { content: 'late' } });
  expect(Date.now() - backAt).toBeLessThan(5000);
}, 60_000);

test('an engine that comes back without its last moments is told them again', async () => {
  const { engineData } = homePaths(stack.home);
  const copy = `${engineData}-before`;
  const waiting = await stack.start(
    `spawn callback as child runner sh: { ${untilFile('end')}; echo child }; say asked`,
  );
  await until(
    () => get(waiting.id),
    ({ status }) => status === 'waiting',
  );
  await withEngineDown(async () => cpSync(engineData, copy, { recursive: true }));
  await untilBack();
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
  } finally {
    process.kill(host, 'SIGCONT');
  }
  expect(await stack.ended(waiting.id)).toMatchObject({
    result: { content: 'child completed: child' },
  });
}, 60_000);
