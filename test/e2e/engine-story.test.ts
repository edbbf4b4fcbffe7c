/** What Temporal shows: who asked whom, in which mode, how it ended. And what it must not hold. */
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SubAgentRecord } from '../../contract/records.ts';
import { discover } from '../../client/index.ts';
import { program, release, runners, untilFile } from './agents.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let connection: Connection;
let temporal: Client;
beforeAll(async () => {
  stack = await startStack({ config: { runners, limits: { sessionIdleSeconds: 1 } } });
  const { address, namespace } = discover(stack.home).server.temporal;
  connection = await Connection.connect({ address: address! });
  temporal = new Client({ connection, namespace });
}, 60_000);
afterAll(async () => {
  await connection?.close();
  await stack.stop();
}, 60_000);

/** A workflow may begin after its invocation has ended. */
const describe = async (workflowId: string) => {
  const found = await until(
    () =>
      temporal.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => null),
    (told) => told !== null,
  );
  return found!;
};
const whenClosed = (record: SubAgentRecord) =>
  until(
    () => describe(record.workflowId),
    ({ status }) => status.name !== 'RUNNING',
  );
const childOf = async (record: Pick<SubAgentRecord, 'sessionKey'>) => {
  const { items } = await stack.client.call('listSubagents', {
    parentSessionId: record.sessionKey,
  });
  return items[0]!;
};

test('the tree of workflows is the tree of who asked whom, with mode, runner and end on each', async () => {
  await stack.client.call('registerSession', { key: 'boss', title: 'The boss' });
  const leaf = 'echo found it';
  const middle = program<string>(async ({ spawn, say }, prompt) => {
    await spawn('SYNC', prompt, { title: 'Look it up' });
    say('read');
  }, leaf);
  const top = program<string>(async ({ spawn, say }, prompt) => {
    await spawn('ASYNC_CALLBACK', prompt, { title: 'Read', runnerId: 'js' });
    say('asked');
  }, middle);
  const asked = { runnerId: 'js', title: 'Plan', parentSessionId: 'boss' };
  const plan = await stack.ended((await stack.start(top, asked)).id);
  expect(plan.status).toBe('completed');
  const read = await childOf(plan);
  const look = await childOf(read);
  const session = 'session/default/boss';
  const above = [session, plan.workflowId, read.workflowId];
  for (const [index, record] of [plan, read, look].entries()) {
    const told = await whenClosed(record);
    expect(told.type).toBe('subAgent');
    expect(told.status.name).toBe('COMPLETED');
    expect(told.parentExecution?.workflowId).toBe(above[index]);
    expect(told.rootExecution?.workflowId).toBe(session);
    expect(told.memo).toEqual({
      title: record.title,
      runner: record.runnerId,
      mode: record.executionMode,
      parentSession: record.parentSessionId,
      rootSession: 'boss',
      depth: index + 1,
    });
    expect(told.searchAttributes).toMatchObject({
      OffshootRootSession: ['boss'],
      OffshootParentSession: [record.parentSessionId],
      OffshootMode: [record.executionMode],
      OffshootRunner: [record.runnerId],
      OffshootTitle: [record.title],
      OffshootStatus: ['completed'],
    });
    expect(await told.staticSummary()).toBe(
      `${record.runnerId} · ${record.executionMode} · ${record.title}`,
    );
    expect(await told.staticDetails()).toContain(`| Asked by | ${['boss', 'Plan', 'Read'][index]}`);
  }
  const found: string[] = [];
  for await (const one of temporal.workflow.list({
    query: "OffshootRootSession = 'boss' AND OffshootMode = 'SYNC'",
  })) {
    found.push(one.workflowId);
  }
  expect(found).toEqual([look.workflowId]);
});

test("an external session's workflow rests when nothing is open, and comes back when it is spoken to", async () => {
  await stack.client.call('registerSession', { key: 'resting' });
  const asked = { runnerId: 'sh', parentSessionId: 'resting' };
  const first = await stack.ended((await stack.start('echo one', asked)).id);
  const rested = await until(
    () => describe('session/default/resting'),
    ({ status }) => status.name === 'COMPLETED',
  );
  const second = await stack.ended((await stack.start('echo two', asked)).id);
  expect([first.status, second.status]).toEqual(['completed', 'completed']);
  const { parentExecution } = await describe(second.workflowId);
  expect(parentExecution?.workflowId).toBe('session/default/resting');
  expect(parentExecution?.runId).not.toBe(rested.runId);
});

test('what failed or was cancelled is called so, with its reason', async () => {
  const failed = await stack.ended(
    (await stack.start('echo no disk >&2; exit 3', { runnerId: 'sh' })).id,
  );
  const running = await stack.start('sleep 60', { runnerId: 'sh' });
  await until(
    () => stack.client.call('getSubagent', { id: running.id }),
    ({ status }) => status === 'running',
  );
  await stack.client.call('cancelSubagent', { id: running.id });
  expect((await whenClosed(failed)).status.name).toBe('FAILED');
  expect((await whenClosed(running)).status.name).toBe('CANCELLED');
  const result = temporal.workflow.getHandle(failed.workflowId).result();
  await expect(result).rejects.toMatchObject({
    cause: { message: 'failed: exited with code 3: no disk', type: 'exit_nonzero' },
  });
  expect((await describe(failed.workflowId)).searchAttributes).toMatchObject({
    OffshootStatus: ['failed'],
  });
});

test('cancelling in Temporal UI cancels the invocation and what it has asked for', async () => {
  const parent = await stack.start(
    program<string>(async ({ spawn }, gated) => {
      await spawn('SYNC', gated);
    }, untilFile('go')),
    { runnerId: 'js' },
  );
  const child = await until(
    () => childOf(parent),
    (record) => record?.status === 'running',
  );
  await describe(parent.workflowId);
  await temporal.workflow.getHandle(parent.workflowId).cancel();
  const ended = await Promise.all([parent, child].map(({ id }) => stack.ended(id)));
  const end = { status: 'cancelled', error: 'cancelled in the engine' };
  expect(ended).toMatchObject([end, end]);
  expect((await whenClosed(parent)).status.name).toBe('CANCELLED');
});

test('the history of a SYNC leaf is short and holds neither prompt nor answer nor secrets', async () => {
  const long = 'body-'.repeat(2000);
  const prompt = `# a short first line\necho ${long}; echo answer-$((40 + 2))${'-tail'.repeat(100)}`;
  const context = { env: { PIN: 'hunter2-11a9' } };
  const leaf = await stack.client.call('runSubagent', { runnerId: 'sh', prompt, context });
  expect(leaf.result?.content).toContain(long);
  await whenClosed(leaf);
  const history = await temporal.workflow.getHandle(leaf.workflowId).fetchHistory();
  expect(history.events!.length).toBeLessThanOrEqual(18);
  const text = payloadsOf(historyToJSON(history));
  expect(text).toContain('a short first line');
  for (const secret of [long, '-tail'.repeat(100), 'hunter2']) expect(text).not.toContain(secret);
  expect(text.length).toBeLessThan(30_000);
});

test('the namespace keeps histories for ninety days', async () => {
  const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
  expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(90 * 24 * 3600);
});

test('nothing stays open in the engine once everything has ended', async () => {
  const record = await stack.start(`${untilFile('go')}; echo done`, { runnerId: 'sh' });
  const open = async () => {
    const ids: string[] = [];
    for await (const one of temporal.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      ids.push(one.workflowId);
    return ids;
  };
  await until(open, (ids) => ids.includes(record.workflowId));
  release(record, 'go');
  await until(open, (ids) => ids.length === 0);
  const { outbox, invocations } = await stack.client.call('getHealth', {});
  expect([outbox.rows, invocations]).toEqual([0, {}]);
});

/** Payloads are base64 in the JSON of a history: read out, so that they can be searched. */
function payloadsOf(json: string): string {
  const decode = (_: string, encoded: string) => Buffer.from(encoded, 'base64').toString();
  return json.replaceAll(/"data":\s*"([^"]*)"/g, decode);
}
