/** Two hosts in one room would sweep each other's agents: the second is refused, and does no harm. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { entryFile } from '../../launcher/entry.ts';
import { release, runners, untilFile } from './agents.ts';
import { cleanEnv } from './commands.ts';
import { untilRunning, untilUp } from './crash-fixture.ts';
import { startStack } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: { runners } });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const lockHolder = () => readPidFile(join(homePaths(stack.home).hosts, 'local', 'host.lock'))?.pid;

test('a second host on a home is refused by name and pid, and the agents of the first go on', async () => {
  const first = stack.pid('host');
  expect(lockHolder()).toBe(first);
  const script = `echo begun; ${untilFile('go')}; echo done`;
  const record = await stack.start(script, { runnerId: 'sh' });
  await untilRunning(stack.client, record.id);
  const second = spawn(process.execPath, [entryFile('worker')], {
    env: cleanEnv({ OFFSHOOT_HOME: stack.home }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const patience = setTimeout(() => second.kill('SIGKILL'), 20_000);
  const [said, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')]);
  clearTimeout(patience);
  expect(code).toBe(5);
  expect(said).toContain(
    `another runner host has ${stack.home}: process ${first}. End it first. offshoot down ends`,
  );
  release(record, 'go');
  const ended = await stack.ended(record.id);
  expect([ended.status, ended.result?.content]).toEqual(['completed', 'begun\ndone']);
  const { hosts } = await stack.client.call('getHealth', {});
  expect(hosts).toMatchObject([{ pid: first, live: true }]);
  expect(lockHolder()).toBe(first);
}, 60_000);

test('the lock of a host that was killed is taken over by its successor', async () => {
  const before = stack.pid('host');
  stack.kill('host');
  await untilUp(stack, [before]);
  expect(lockHolder()).toBe(stack.pid('host'));
  const record = await stack.start('echo again', { runnerId: 'sh' });
  expect((await stack.ended(record.id)).result?.content).toBe('again');
}, 60_000);
