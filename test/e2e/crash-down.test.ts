import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn as startProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { entryFile } from '../../launcher/entry.ts';
import { program, release, untilFile } from './agents.ts';
import { cleanEnv } from './commands.ts';
import {
  agentsOf,
  crashConfig,
  isLiving,
  untilAgents,
  untilGone,
  untilRunning,
} from './crash-fixture.ts';
import { startDetachedStack, type DetachedStack } from './detached-stack.ts';
import { until } from './stack.ts';

let stack: DetachedStack;
beforeAll(async () => void (stack = await startDetachedStack(crashConfig)), 60_000);
afterAll(() => stack.remove(), 60_000);

const start = (prompt: string, runnerId = 'sh') =>
  stack.client.call('runSubagent', { runnerId, executionMode: 'ASYNC_POLL', prompt });
const ended = (id: string) =>
  until(
    () => stack.client.call('getSubagent', { id }),
    ({ completedAt }) => completedAt !== null,
  );

test('a second server on the same home is refused, and is told who has it', async () => {
  const second = startProcess(process.execPath, [entryFile('api'), '--port', '0'], {
    env: cleanEnv({ OFFSHOOT_HOME: stack.home }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const code = new Promise((resolve) => second.once('exit', resolve));
  expect(await text(second.stderr)).toContain(`offshoot server, pid ${stack.pid('server')}`);
  expect(await code).toBe(1);
}, 60_000);

test('down asks the agents to stop; after the next up they have ended or run again as their runner says', async () => {
  const lost = await start('trap "echo told > told; exit 0" TERM; sleep 60 & wait');
  const again = await start(
    'echo run >> runs; [ $(wc -l < runs) -gt 1 ] || exec sleep 60; echo done',
    'sh-again',
  );
  const parent = await start('spawn SYNC as child runner sh: sleep 60; say never', 'demo');
  for (const { id } of [lost, again, parent]) await untilRunning(stack.client, id);
  await untilAgents(stack.home, 5);
  const all = [...agentsOf(stack.home), ...stack.pids()];
  await stack.down();
  expect(all.filter(isLiving)).toEqual([]);
  expect(readFileSync(join(lost.context.workspacePath, 'told'), 'utf8')).toBe('told\n');
  await stack.up();
  expect(await ended(lost.id)).toMatchObject({ errorCode: 'outcome_unknown' });
  expect(await ended(parent.id)).toMatchObject({ errorCode: 'outcome_unknown' });
  expect(await ended(again.id)).toMatchObject({ result: { content: 'done' } });
}, 60_000);

test('down --leave-agents lets them finish, and their answers are there after the next up', async () => {
  const left = await start(`${untilFile('go')}; echo finished; sleep 0.3; echo all`);
  const kid = `${untilFile('go')}; echo kid`;
  const parent = await start(`spawn callback as kid runner sh: { ${kid} }; say asked`, 'demo');
  await untilRunning(stack.client, left.id);
  await until(
    () => stack.client.call('getSubagent', { id: parent.id }),
    ({ status }) => status === 'waiting',
  );
  await until(
    () => stack.client.call('listSubagents', { parentSessionId: parent.sessionKey }),
    ({ items }) => items[0]?.status === 'running',
  );
  const [server, host, engine] = stack.pids();
  await stack.down({ leaveAgents: true });
  expect([server!, engine!].filter(isLiving)).toEqual([]);
  const agents = agentsOf(stack.home);
  expect(agents.length).toBeGreaterThanOrEqual(2);
  for (const record of [left, parent]) release(record, 'go');
  // The host stays for them, and goes when it has their words on disk.
  await untilGone([...agents, host!]);
  await stack.up();
  expect(await ended(left.id)).toMatchObject({ result: { content: 'finished\nall' } });
  expect(await ended(parent.id)).toMatchObject({ result: { content: 'kid completed: kid' } });
}, 60_000);

test('up while the left agents are still at work takes their host back, which works again', async () => {
  const prompt = program(async ({ until: there, spawn, say }) => {
    await there('go');
    say((await spawn('SYNC', 'echo kid')).result?.content);
  });
  const left = await start(prompt, 'js');
  await untilRunning(stack.client, left.id);
  const host = stack.pid('host');
  await stack.down({ leaveAgents: true });
  await stack.up();
  expect(stack.pid('host')).toBe(host);
  release(left, 'go');
  expect(await ended(left.id)).toMatchObject({ result: { content: 'kid' } });
  expect(isLiving(host)).toBe(true);
}, 60_000);

test('down ends the agents of a host that was killed, too', async () => {
  const left = await start('setsid sleep 60 & sleep 60');
  await untilRunning(stack.client, left.id);
  await untilAgents(stack.home, 3);
  const agents = agentsOf(stack.home);
  stack.kill('launcher', 'host');
  await stack.down();
  expect(agents.filter(isLiving)).toEqual([]);
  await stack.up();
  expect(await ended(left.id)).toMatchObject({ errorCode: 'outcome_unknown' });
}, 60_000);
