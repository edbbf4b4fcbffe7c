/** What Temporal shows: who asked whom, in which mode, how it ended. And what it must not hold. */
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SubAgentRecord } from '../../contract/records.ts';
import { discover } from '../../client/index.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { stepsIn } from '../support/history-steps.ts';
import { program, release, runners, untilFile } from './agents.ts';
import { quickRestarts } from './crash-fixture.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let connection: Connection;
let temporal: Client;
beforeAll(async () => {
  const config = { runners, limits: { sessionIdleSeconds: 1 } };
  stack = await startStack({ config, timing: quickRestarts });
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
/** What Temporal UI shows of a workflow as it is now; it asks the same. */
const currentDetails = async (workflowId: string) => {
  const handle = temporal.workflow.getHandle(workflowId);
  const told = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return told.currentDetails;
};
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

test('what each one does now is told while it waits, and how it ended afterwards', async () => {
  await stack.client.call('registerSession', { key: 'chief', title: 'The chief' });
  const asks = program<string>(
    async ({ spawn, say }, gated) => {
      await spawn('ASYNC_CALLBACK', gated);
      say('asked');
    },
    `${untilFile('go')}; exit 3`,
  );
  const parent = await stack.start(asks, { runnerId: 'js', parentSessionId: 'chief' });
  const now = (record: SubAgentRecord, words: RegExp) =>
    until(
      () => currentDetails(record.workflowId).catch(String),
      (told) => words.test(told),
    );
  await now(parent, /^\*\*waiting\*\* since 20/);
  const child = await childOf(parent);
  await now(child, /^\*\*running\*\* since 20/);
  expect(await currentDetails('session/default/chief')).toBe(
    '**The chief** · external session · 1 open',
  );
  release(parent, 'go');
  expect((await whenClosed(child)).status.name).toBe('FAILED');
  await whenClosed(parent);
  expect(await currentDetails(child.workflowId)).toBe('**failed**');
  expect(await currentDetails(parent.workflowId)).toBe('**completed**');
});

test("a record's link leads to its workflow in Temporal UI", async () => {
  const { uiUrl } = discover(stack.home).server.temporal;
  expect(uiUrl).toBe(readEngineFile(stack.home)!.uiUrl);
  const record = await stack.start('echo hi', { runnerId: 'sh' });
  const path = `/namespaces/default/workflows/subagent%2F${record.id}`;
  expect(record.temporalUrl).toBe(`${uiUrl}${path}`);
  await whenClosed(record);
  // The page is the same for all; what it asks for is this one.
  expect((await fetch(record.temporalUrl!)).status).toBe(200);
  const asked = await fetch(`${uiUrl}/api/v1${path}`);
  expect(await asked.json()).toMatchObject({
    workflowExecutionInfo: { execution: { workflowId: record.workflowId } },
  });
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
  expect(stepsIn(history.events!)).toBeLessThanOrEqual(18);
  const text = payloadsOf(historyToJSON(history));
  expect(text).toContain('a short first line');
  for (const secret of [long, '-tail'.repeat(100), 'hunter2']) expect(text).not.toContain(secret);
  expect(text.length).toBeLessThan(30_000);
});

test('the namespace keeps histories for ninety days', async () => {
  const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
  expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(90 * 24 * 3600);
});

test('the server that held a workflow is killed: the next one goes on with it', async () => {
  const record = await stack.start(`${untilFile('go')}; echo done`, { runnerId: 'sh' });
  await until(
    () => currentDetails(record.workflowId).catch(String),
    (told) => told.startsWith('**running**'),
  );
  const before = stack.pid('server');
  stack.kill('server');
  // Ends while nobody is there: its host's word for it stays on disk, that of the engine in the dead server's queue.
  release(record, 'go');
  await until(
    () => stack.client.call('getHealth', {}),
    ({ pid, engine }) => pid !== before && engine.connected,
  );
  await whenClosed(record);
});

test('what a killed server had in hand is tried again after two seconds, in every kind of workflow', async () => {
  const told = [];
  for await (const { workflowId } of temporal.workflow.list({})) {
    const { type, parentExecution, raw } = await describe(workflowId);
    const { seconds } = raw.executionConfig!.defaultWorkflowTaskTimeout!;
    told.push(`${type} ${parentExecution ? 'child' : 'root'} ${seconds}`);
  }
  const kinds = ['agentSession root 2', 'subAgent child 2', 'subAgent root 2'];
  expect([...new Set(told)].toSorted()).toEqual(kinds);
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
