/** A backup is taken while agents write and requests come in, and is put back after all went on. */
import { readdirSync } from 'node:fs';
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
import { idsIn } from './family.ts';
import { counted, launches } from './launches.ts';
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
    prompt: counted(prompt),
    ...more,
  });

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
  const guests = await startGuests();
  // May be repeated, and so may its child: both go on from where the backup knows them.
  const keeper = await stack.client.call('runSubagent', {
    runnerId: 'demo-again',
    executionMode: 'ASYNC_POLL',
    // Its first launch lasts longer than all this.
    prompt: `spawn callback as kid runner sh-again: {
      if [ -e began ]; then echo kid; else touch began; sleep 300; fi
    }; say asked`,
  });
  for (const { id } of [parent, keeper]) {
    await until(
      () => get(id),
      ({ status }) => status === 'waiting',
      patience,
    );
  }
  const [orphan, kid] = [await childOf(parent), await childOf(keeper)];
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
  expect(await ended(keeper.id)).toMatchObject({
    status: 'completed',
    result: { content: 'kid completed: kid' },
  });
  expect(await toldTo(keeper)).toEqual([kid]);
  // It ended with its child, and what it was not told of is kept.
  expect(await toldTo(parent)).toEqual([]);
  await expectTold(guests, [orphan, kid]);

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

async function childOf({ sessionKey }: SubAgentRecord): Promise<string> {
  const { items } = await stack.client.call('listSubagents', { parentSessionId: sessionKey });
  expect(items).toHaveLength(1);
  return items[0]!.id;
}

const callbackOf = (id: string) => id.replace('sub_', 'cb_');

/** Of whom its session was told, turn by turn. */
const toldTo = async ({ id }: SubAgentRecord) => {
  const turns = await stack.transcript(id);
  return turns.filter(({ role }) => role === 'callback').flatMap(({ text }) => idsIn(text));
};

/** An external session that has read of one child, has not read of another, and waits for a third. */
async function startGuests(): Promise<string[]> {
  await stack.client.call('registerSession', { key: 'guest' });
  const ask = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'guest' } as const;
  const read = await start('echo read', ask);
  await ended(read.id);
  const ids = [callbackOf(read.id)];
  await stack.client.call('ackCallbacks', { key: 'guest', ids });
  const unread = await start('echo unread', ask);
  await ended(unread.id);
  return [read.id, unread.id, (await start('sleep 60', ask)).id];
}

/** All that was ever told on this store: these, each once, with what has become of each. */
async function expectTold([read, unread, late]: string[], inside: string[]): Promise<void> {
  const mail = rows<{ id: string; state: string }>(stack.home, 'SELECT id, state FROM mailbox');
  const wanted = [
    [read, 'delivered'],
    [unread, 'queued'],
    [late, 'queued'],
    [inside[0], 'undelivered'],
    [inside[1], 'delivered'],
  ].map(([id, state]) => ({ id: callbackOf(id!), state }));
  expect(mail.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
    wanted.toSorted((a, b) => a.id.localeCompare(b.id)),
  );
  const { callbacks } = await stack.client.call('getCallbacks', { key: 'guest' });
  expect(callbacks.map(({ invocationId }) => invocationId)).toEqual([unread, late]);
}
