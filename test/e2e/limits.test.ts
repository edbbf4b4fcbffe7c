/** One slot for all: who may run, in which order, and what becomes of those for whom nobody comes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SubAgentRecord } from '../../contract/records.ts';
import { program, release, runners, untilFile } from './agents.ts';
import { impatientBuild, silentSeconds } from './impatient-build.ts';
import { withLoneServer } from './lone-server.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: { runners, limits: { slots: 1 } } });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

test('with one slot a chain of six that all wait for each other comes to its end', async () => {
  const link = (next: string) =>
    program<string>(async ({ spawn, say }, prompt) => {
      const child = await spawn('SYNC', prompt, { runnerId: 'js' });
      say(`${child.depth} ${child.result?.content ?? child.detail}`);
    }, next);
  let prompt = program(async ({ spawn, say }) => {
    const tooDeep = await spawn('SYNC', 'echo never');
    say(tooDeep.code);
  });
  for (let depth = 0; depth < 5; depth += 1) prompt = link(prompt);
  const { id } = await stack.start(prompt, { runnerId: 'js' });
  const { status, result } = await stack.ended(id);
  expect([status, result?.content]).toEqual(['completed', '1 2 3 4 5 depth_exceeded']);
});

test('a child of one that works goes before roots that have come earlier', async () => {
  const parent = await stack.start(
    program(async ({ spawn, say, until: there }) => {
      await there('ask');
      await spawn('ASYNC_POLL', 'echo child');
      say('asked');
    }),
    { runnerId: 'js' },
  );
  const root = await stack.start('echo root', { runnerId: 'sh' });
  release(parent, 'ask');
  await Promise.all([stack.ended(parent.id), stack.ended(root.id)]);
  const { items } = await stack.client.call('listSubagents', {
    parentSessionId: parent.sessionKey,
  });
  const [child, later] = await Promise.all([stack.ended(items[0]!.id), stack.ended(root.id)]);
  expect(Date.parse(child.startedAt!)).toBeLessThan(Date.parse(later.startedAt!));
});

test('equals run first come, first served, also when the server is killed meanwhile [orchestrator 31]', async () => {
  const first = await stack.start(`${untilFile('go')}; echo first`, { runnerId: 'sh' });
  const others: SubAgentRecord[] = [];
  for (const n of [1, 2, 3, 4]) others.push(await stack.start(`echo ${n}`, { runnerId: 'sh' }));
  expect(others.at(-1)).toMatchObject({
    status: 'pending',
    pendingReason: 'no free slot: 3 before it',
  });
  const old = stack.pid('server');
  stack.kill('server');
  await until(
    async () => stack.pid('server'),
    (pid) => pid !== old,
  );
  release(first, 'go');
  const ended = await Promise.all([first, ...others].map(({ id }) => stack.ended(id)));
  expect(ended.map(({ status }) => status)).toEqual(Array(5).fill('completed'));
  const started = ended.map((record) => Date.parse(record.startedAt!));
  expect(started).toEqual(started.toSorted((a, b) => a - b));
});

test('where no runner host comes in time, the child ends so, and its parent is told [orchestrator 18]', async () => {
  await withLoneServer(
    { config: { runners, limits: { hostWaitSeconds: 1 } }, entry: await impatientBuild() },
    async ({ client }) => {
      await client.call('registerSession', { key: 'boss' });
      const child = await client.call('runSubagent', {
        ...{ runnerId: 'sh', prompt: 'echo never', executionMode: 'ASYNC_CALLBACK' },
        parentSessionId: 'boss',
      });
      expect(child).toMatchObject({ status: 'pending', pendingReason: 'no runner host is up' });
      // Not before a host that is there could have been heard.
      const waitSeconds = silentSeconds + 10;
      const { done } = await client.call('waitSubagents', { ids: [child.id], waitSeconds });
      expect(done).toMatchObject([{ status: 'timed_out', errorCode: 'no_host', startedAt: null }]);
      const { callbacks } = await client.call('getCallbacks', { key: 'boss' });
      expect(callbacks).toMatchObject([
        { invocationId: child.id, envelope: expect.stringContaining('error-code="no_host"') },
      ]);
    },
  );
}, 60_000);

test('of a child that is cancelled before it has begun the parent is told [orchestrator 19]', async () => {
  await withLoneServer({ config: { runners } }, async ({ client }) => {
    await client.call('registerSession', { key: 'boss' });
    const child = await client.call('runSubagent', {
      ...{ runnerId: 'sh', prompt: 'echo never', executionMode: 'ASYNC_CALLBACK' },
      parentSessionId: 'boss',
    });
    const cancelled = await client.call('cancelSubagent', { id: child.id, reason: 'not needed' });
    expect(cancelled).toMatchObject({ status: 'cancelled', startedAt: null, result: null });
    const { callbacks } = await client.call('getCallbacks', { key: 'boss' });
    expect(callbacks).toMatchObject([
      {
        invocationId: child.id,
        status: 'cancelled',
        envelope: expect.stringContaining('not needed'),
      },
    ]);
  });
});
