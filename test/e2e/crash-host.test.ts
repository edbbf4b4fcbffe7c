import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubAgentRecord } from '../../contract/records.ts';
import { program, release, untilFile } from './agents.ts';
import {
  agentsOf,
  crashConfig,
  quickRestarts,
  untilAgents,
  untilGone,
  untilRunning,
} from './crash-fixture.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  const limits = { ...crashConfig.limits, killGraceSeconds: 1 };
  stack = await startStack({ config: { ...crashConfig, limits }, timing: quickRestarts });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

/** Ends the host as told and waits for its successor, which takes over the home. */
async function replaceHost(signal: 'SIGKILL' | 'SIGTERM' | 'SIGHUP'): Promise<void> {
  const before = stack.pid('host');
  process.kill(before, signal);
  await until(
    () => stack.client.call('getHealth', {}),
    ({ hosts }) => hosts.some((host) => host.pid !== before && host.live),
  );
}

const get = (id: string) => stack.client.call('getSubagent', { id });
const read = ({ context }: SubAgentRecord, file: string) =>
  readFileSync(join(context.workspacePath, file), 'utf8');

const readIf = (record: SubAgentRecord, file: string) => {
  try {
    return read(record, file);
  } catch {
    return '';
  }
};

/** Once done it stays until it is killed; the second run finds the file and answers. */
const onceThenAnswer = `echo $$ >> pids; if [ $(wc -l < pids) -gt 1 ]; then echo again; else
  exec sleep 60; fi`;

test('when its host is killed a run fails or runs again as its runner says, callers hear of it, and no process is left [orchestrator 32] [leanspec 19]', async () => {
  const sync = stack.client.call('runSubagent', { runnerId: 'sh', prompt: 'sleep 60' });
  const stubborn = await stack.start(
    'trap "" TERM; (setsid sleep 60 & ) ; while :; do sleep 1; done',
    { runnerId: 'sh' },
  );
  const again = await stack.start(onceThenAnswer, { runnerId: 'sh-again' });
  const parent = await stack.start('spawn callback as lost runner sh: sleep 60; say asked', {
    runnerId: 'demo',
  });
  const all = [stubborn, again, parent];
  await until(
    () => get(parent.id),
    ({ status }) => status === 'waiting',
  );
  for (const { id } of [stubborn, again]) await untilRunning(stack.client, id);
  await untilAgents(stack.home, 6);
  const orphans = agentsOf(stack.home);

  await replaceHost('SIGKILL');
  expect(await sync).toMatchObject({ status: 'failed', errorCode: 'outcome_unknown' });
  expect(await stack.ended(stubborn.id)).toMatchObject({ errorCode: 'outcome_unknown' });
  expect(await stack.ended(again.id)).toMatchObject({
    status: 'completed',
    result: { content: 'again' },
  });
  expect(read(again, 'pids').trim().split('\n')).toHaveLength(2);
  const told = await stack.ended(parent.id);
  expect(told).toMatchObject({ status: 'completed' });
  expect(told.result?.content).toMatch(/^lost failed \(outcome_unknown\)/);
  for (const { id } of all) expect((await get(id)).status).not.toBe('running');
  await untilGone(orphans);
  expect(agentsOf(stack.home)).toEqual([]);
}, 60_000);

test('a run that is lost with the callbacks it was handed gets the same callbacks again, each once in the transcript', async () => {
  const later = program(async ({ note, prompt, say, until: there }) => {
    note('seen', JSON.stringify(prompt));
    await there('go');
    say('read');
  });
  const first = program<string>(async ({ spawn, later: next, say }, laterProgram) => {
    next(laterProgram);
    await spawn('ASYNC_CALLBACK', 'echo one');
    await spawn('ASYNC_CALLBACK', 'sleep 0.3; echo two');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    say('asked');
  }, later);
  const parent = await stack.start(first, { runnerId: 'js-again' });
  await until(
    async () => readIf(parent, 'seen'),
    (text) => text !== '',
  );
  await replaceHost('SIGKILL');
  release(parent, 'go');
  expect(await stack.ended(parent.id)).toMatchObject({
    status: 'completed',
    result: { content: 'read' },
  });
  const [one, two, ...rest] = read(parent, 'seen').trim().split('\n');
  expect(rest).toEqual([]);
  expect(one).toContain('one');
  expect(one).toContain('two');
  expect(two).toBe(one);
  const turns = await stack.transcript(parent.id);
  expect(turns.filter(({ role }) => role === 'callback')).toHaveLength(2);
  const states = rows<{ state: string }>(
    stack.home,
    'SELECT state FROM mailbox WHERE session_id = (SELECT id FROM sessions WHERE session_key = ?)',
    parent.sessionKey,
  );
  expect(states).toEqual([{ state: 'delivered' }, { state: 'delivered' }]);
}, 60_000);

test('SIGTERM to the host asks its agents to stop and reports them; SIGHUP lets them finish', async () => {
  const asked = await stack.start('trap "echo told >> told; exit 0" TERM; sleep 60 & wait', {
    runnerId: 'sh',
  });
  await untilRunning(stack.client, asked.id);
  await untilAgents(stack.home, 2, asked.id);
  await replaceHost('SIGTERM');
  expect(await stack.ended(asked.id)).toMatchObject({
    status: 'failed',
    errorCode: 'outcome_unknown',
  });
  expect(read(asked, 'told')).toBe('told\n');
  expect(agentsOf(stack.home)).toEqual([]);

  const left = await stack.start('sleep 1.5; echo finished', { runnerId: 'sh' });
  await untilRunning(stack.client, left.id);
  process.kill(stack.pid('host'), 'SIGHUP');
  // What comes meanwhile waits for the successor and is not lost.
  const next = await stack.start('echo next', { runnerId: 'sh' });
  expect(await stack.ended(left.id)).toMatchObject({ result: { content: 'finished' } });
  expect(await stack.ended(next.id)).toMatchObject({ result: { content: 'next' } });
}, 60_000);

test('a mistake in the configuration costs nothing that runs, and is told to whoever asks for something new', async () => {
  const file = join(stack.home, 'config.json');
  const good = readFileSync(file, 'utf8');
  const running = await stack.start(`${untilFile('go')}; echo fine`, { runnerId: 'sh' });
  await untilRunning(stack.client, running.id);
  const pids = [stack.pid('server'), stack.pid('host')];
  writeFileSync(file, '{ "runners": ');
  await expect(stack.start('echo no', { runnerId: 'sh' })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  release(running, 'go');
  expect(await stack.ended(running.id)).toMatchObject({ result: { content: 'fine' } });
  // Long enough for every timer that reads the configuration.
  await sleep(1200);
  writeFileSync(file, good);
  const after = await stack.client.call('runSubagent', { runnerId: 'sh', prompt: 'echo good' });
  expect(after).toMatchObject({ status: 'completed' });
  expect([stack.pid('server'), stack.pid('host')]).toEqual(pids);
}, 60_000);
