/** A main.db that somebody has copied by hand, and puts back by hand: nothing in it says that it is old. */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import type { OperationInput } from '../../contract/operations.ts';
import { isFinal } from '../../contract/words.ts';
import { untilFile } from './agents.ts';
import { crashConfig, untilRunning } from './crash-fixture.ts';
import { startDetachedStack, type DetachedStack } from './detached-stack.ts';
import { counted, launches } from './launches.ts';
import { rows } from './rows.ts';
import { until } from './stack.ts';

let stack: DetachedStack;

beforeAll(async () => {
  stack = await startDetachedStack({ ...crashConfig, limits: { slots: 1 } });
}, 240_000);
afterAll(() => stack?.remove(), 120_000);

const start = (prompt: string, more: Partial<OperationInput<'runSubagent'>> = {}) =>
  stack.client.call('runSubagent', {
    runnerId: 'sh',
    executionMode: 'ASYNC_POLL',
    prompt: counted(prompt),
    ...more,
  });

const get = (id: string) => stack.client.call('getSubagent', { id });
const ended = ({ id }: SubAgentRecord) =>
  until(
    () => get(id),
    ({ status }) => isFinal(status),
    60,
  );
/** Takes the only slot, until the stack goes down. */
const busy = async () => untilRunning(stack.client, (await start(untilFile('never'))).id);

test('a copy that is put back is known to be older than what ran last: nothing that was open in it is launched again, unless that may be', async () => {
  const paths = homePaths(stack.home);
  const copy = `${paths.database}.mine`;
  await stack.client.call('registerSession', { key: 'main' });
  const done = await start('echo answer');
  await ended(done);
  await busy();
  const pending = await start('echo once');
  const told = await start('echo told', {
    executionMode: 'ASYNC_CALLBACK',
    parentSessionId: 'main',
  });
  const again = await start('echo again', { runnerId: 'sh-again' });
  await stack.down();
  expect(existsSync(`${paths.database}-wal`)).toBe(false);
  copyFileSync(paths.database, copy);

  // An ordinary start: what was pending begins, what ran is lost.
  await stack.up();
  for (const record of [pending, told, again]) {
    expect([(await ended(record)).status, launches(record)]).toEqual(['completed', 1]);
  }
  const later = await start('echo later');
  await ended(later);
  await stack.down();
  copyFileSync(copy, paths.database);

  await stack.up();
  for (const record of [pending, told]) {
    expect(await ended(record)).toMatchObject({
      status: 'failed',
      errorCode: 'outcome_unknown',
      error: expect.stringContaining('a copy that knows 1 of the 2 starts of its server'),
    });
    expect(launches(record)).toBe(1);
  }
  const repeated = await ended(again);
  expect([repeated.status, repeated.result?.content]).toEqual(['completed', 'again']);
  expect(launches(again)).toBe(2);
  expect(await get(done.id)).toMatchObject({ status: 'completed', result: { content: 'answer' } });
  await expect(get(later.id)).rejects.toMatchObject({ code: 'not_found' });
  const { callbacks } = await stack.client.call('getCallbacks', { key: 'main', status: 'all' });
  expect(callbacks.map(({ invocationId }) => invocationId)).toEqual([told.id]);

  // It has caught up: the next start takes it for what it is then, the one that ran last.
  const inStore = rows(stack.home, `SELECT value FROM meta WHERE key = 'openings'`);
  expect([inStore, readFileSync(paths.openings, 'utf8')]).toEqual([[{ value: '3' }], '3\n']);
}, 300_000);
