/** A backup is taken while agents write and requests come in, and is put back after all went on. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import BetterSqlite3 from 'better-sqlite3';
import type { SubAgentRecord } from '../../contract/records.ts';
import type { Backup } from '../../contract/system-records.ts';
import type { OperationInput } from '../../contract/operations.ts';
import { isFinal } from '../../contract/words.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { runners } from './agents.ts';
import { offshoot } from './commands.ts';
import { agentsOf, crashConfig } from './crash-fixture.ts';
import { startDetachedStack, type DetachedStack } from './detached-stack.ts';
import { rows } from './rows.ts';
import { until } from './stack.ts';

let stack: DetachedStack;

beforeAll(async () => {
  stack = await startDetachedStack({
    ...crashConfig,
    backup: { everyHours: 0 },
    limits: { slots: 16, killGraceSeconds: 1 },
    runners: { ...crashConfig.runners, sh: { ...runners.sh } },
  });
}, 240_000);
afterAll(() => stack?.remove(), 120_000);

const cli = (...args: string[]) => offshoot(args, { env: { OFFSHOOT_HOME: stack.home } });

const start = (prompt: string, more: Partial<OperationInput<'runSubagent'>> = {}) =>
  stack.client.call('runSubagent', {
    runnerId: 'sh',
    executionMode: 'ASYNC_POLL',
    // Counted in the workspace, which no backup holds.
    prompt: `echo launched >> launches\n${prompt}`,
    ...more,
  });

function launches({ context }: SubAgentRecord): number {
  const file = join(context.workspacePath, 'launches');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

const get = (id: string) => stack.client.call('getSubagent', { id });
/** Two cores may be shared with others. */
const patience = 120;
const ended = (id: string) =>
  until(
    () => get(id),
    ({ status }) => isFinal(status),
    patience,
  );
const writer = 'n=0; while [ $n -lt 2000 ]; do n=$((n+1)); echo "line $n"; sleep 0.05; done';

/** Accepts one after the other until the returned function is called. */
function keepAccepting() {
  const accepted: Promise<SubAgentRecord>[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      accepted.push(start('echo quick'));
      await sleep(120);
    }
  })();
  return async () => {
    isOver = true;
    await work;
    return Promise.all(accepted);
  };
}

async function openWorkflows(): Promise<string[]> {
  const connection = await Connection.connect({ address: readEngineFile(stack.home)!.address });
  try {
    const found: string[] = [];
    const query = `ExecutionStatus = 'Running' AND WorkflowType = 'subAgent'`;
    for await (const one of new Client({ connection }).workflow.list({ query })) {
      found.push(one.workflowId);
    }
    return found;
  } finally {
    await connection.close();
  }
}

test('a backup taken under load is put back, and everything comes to a true end', async () => {
  const done = await ended((await start('echo answer')).id);
  const writers = await Promise.all([1, 2, 3, 4].map(() => start(writer)));
  const again = await start('sleep 3; echo repeated', { runnerId: 'sh-again' });
  const parent = await stack.client.call('runSubagent', {
    runnerId: 'demo',
    executionMode: 'ASYNC_POLL',
    prompt: 'spawn callback as kid: { sleep 60; say kid }; say asked',
  });
  await until(
    () => Promise.all([...writers, again].map(({ id }) => get(id))),
    (all) => all.every(({ status }) => status === 'running'),
    patience,
  );
  await until(
    () => get(parent.id),
    ({ status }) => status === 'waiting',
    patience,
  );
  const stopAccepting = keepAccepting();
  await sleep(500);

  const file = join(stack.home, 'taken.db');
  const ran = await cli('backup', '--to', file, '--json');
  expect(ran).toMatchObject({ code: 0 });
  const backup = JSON.parse(ran.stdout) as Backup;
  expect(backup.file).toBe(file);
  await sleep(1000);
  const accepted = await stopAccepting();
  const isIn = ({ id }: SubAgentRecord) => finalIn(file, id) !== undefined;
  const [known, lost] = [accepted.filter(isIn), accepted.filter((one) => !isIn(one))];
  expect(Math.min(known.length, lost.length)).toBeGreaterThan(3);
  // A parent that waits in the engine, and that the backup has never heard of.
  const stray = await stack.client.call('runSubagent', {
    runnerId: 'demo',
    executionMode: 'ASYNC_POLL',
    prompt: 'spawn callback as late: { sleep 60; say late }; say asked',
  });
  await until(
    () => get(stray.id),
    ({ status }) => status === 'waiting',
    patience,
  );

  const refused = await cli('restore', file);
  expect(refused).toMatchObject({ code: 5 });
  expect(refused.stderr).toContain(`process ${stack.pid('launcher')}`);
  await stack.down();
  expect(agentsOf(stack.home)).toEqual([]);
  const restored = await cli('restore', file);
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.stdout).toContain(backup.takenAt);
  await stack.up();

  // What had ended by then keeps its result.
  expect(await get(done.id)).toMatchObject({ status: 'completed', result: { content: 'answer' } });
  for (const one of [...writers, ...known, parent]) {
    const record = await ended(one.id);
    if (finalIn(file, one.id) === true) expect(record.status).toBe('completed');
    else expect(record).toMatchObject({ status: 'failed', errorCode: 'outcome_unknown' });
    // Whatever became of it in the time that is lost: it was not started twice.
    expect(launches(one)).toBeLessThanOrEqual(1);
  }
  expect(await ended(again.id)).toMatchObject({
    status: 'completed',
    result: { content: 'repeated' },
  });
  for (const { id } of [...lost, stray]) {
    await expect(get(id)).rejects.toMatchObject({ code: 'not_found' });
  }
  await expectToldOnce(parent);

  // The engine has forgotten nothing, and is rid of what the store does not know.
  expect(await until(openWorkflows, (open) => open.length === 0, patience)).toEqual([]);
  expect(agentsOf(stack.home)).toEqual([]);
  const fresh = await ended((await start('echo new')).id);
  expect(fresh).toMatchObject({ status: 'completed', result: { content: 'new' } });
  expect(
    readdirSync(stack.home).filter((name) => name.startsWith('main.db.replaced-')),
  ).toHaveLength(1);
}, 500_000);

/** Whether it had ended when the backup was taken; undefined where that does not know it. */
function finalIn(file: string, id: string): boolean | undefined {
  const db = new BetterSqlite3(file, { readonly: true });
  try {
    const row = db.prepare('SELECT status FROM subagent_sessions WHERE id = ?').get(id) as
      { status: SubAgentRecord['status'] } | undefined;
    return row && isFinal(row.status);
  } finally {
    db.close();
  }
}

async function expectToldOnce(parent: SubAgentRecord): Promise<void> {
  const told = (await stack.transcript(parent.id)).filter(({ role }) => role === 'callback');
  const ids = told.map(({ text }) => /id="(cb_\w+)"/.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(ids.length);
  const mail = rows<{ id: string }>(stack.home, 'SELECT id FROM mailbox');
  expect(new Set(mail.map(({ id }) => id)).size).toBe(mail.length);
}
