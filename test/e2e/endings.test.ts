/** Every end is told, whatever became of parent and child; the first end counts. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { signToken } from '../../domain/token.ts';
import { release, runners, untilFile, written } from './agents.ts';
import { familyOf, idsIn } from './family.ts';
import { ask, frames } from './requests.ts';
import { counts, rows } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: { runners, limits: { killGraceSeconds: 2 } } });
}, 60_000);
afterAll(() => stack.stop(), 60_000);
const { sh, parentOf, childrenOf, whenStatus, cancel, mailOf, said } = familyOf(() => stack);

test('failed, cancelled and timed out are told as what they are, with the reason [orchestrator 17]', async () => {
  await stack.client.call('registerSession', { key: 'boss' });
  const spawn = (prompt: string, more = {}) =>
    stack.start(prompt, {
      runnerId: 'sh',
      executionMode: 'ASYNC_CALLBACK',
      parentSessionId: 'boss',
      ...more,
    });
  const [failed, cancelled, late] = await Promise.all([
    spawn('echo no disk >&2; exit 4'),
    spawn('sleep 60'),
    spawn('sleep 60', { limits: { wallSeconds: 1 } }),
  ]);
  await stack.client.call('cancelSubagent', { id: cancelled.id, reason: 'not needed' });
  const mail = await until(
    () => mailOf('boss'),
    (found) => found.length === 3,
  );
  const told = (id: string) => mail.find((callback) => callback.invocationId === id)!;
  expect(told(failed.id)).toMatchObject({ status: 'failed', state: 'queued' });
  expect(told(failed.id).envelope).toMatch(
    /status="failed" error-code="exit_nonzero"[^>]*>\nError: exited with code 4: no disk/,
  );
  expect(told(cancelled.id).envelope).toMatch(
    /status="cancelled" error-code="cancelled"[^>]*>\nError: not needed/,
  );
  expect(told(late.id).envelope).toMatch(
    /status="timed_out" error-code="wall_time"[^>]*>\nError: did not end within 1 s/,
  );
  // An external parent is told when it reads: acknowledged, it is delivered.
  await stack.client.call('ackCallbacks', {
    key: 'boss',
    ids: mail.map((callback) => callback.id),
  });
  expect((await stack.client.call('getCallbacks', { key: 'boss' })).callbacks).toEqual([]);
});

test('what a failed callback turn was handed is kept and shown, blocks no sibling, and comes with the next message [orchestrator 22]', async () => {
  const parent = await parentOf(
    async ({ spawn, later, say }, gated) => {
      later('if (tools.turn === 2) throw new Error("bad turn"); tools.say(tools.prompt)');
      await spawn('ASYNC_CALLBACK', 'echo early');
      await spawn('ASYNC_CALLBACK', gated, { detached: true });
      say('asked');
    },
    `${untilFile('go')}; echo sibling`,
  );
  expect(await stack.ended(parent.id)).toMatchObject({
    status: 'failed',
    errorCode: 'exit_nonzero',
  });
  const [early, sibling] = await childrenOf(parent);
  const states = async () =>
    (await mailOf(parent.sessionKey)).map(({ invocationId, state }) => [invocationId, state]);
  expect(await states()).toEqual([[early!.id, 'undelivered']]);
  release(parent, 'go');
  expect((await stack.ended(sibling!.id)).status).toBe('completed');
  expect(await states()).toEqual([
    [early!.id, 'undelivered'],
    [sibling!.id, 'undelivered'],
  ]);

  const sent = await stack.client.call('sendToSubagent', { id: parent.id, prompt: 'go on' });
  const { result } = await stack.ended(sent.id);
  expect(idsIn(result!.content)).toEqual([early!.id, sibling!.id]);
  expect(idsIn(await said(parent.id, 'callback'))).toEqual([early!.id, sibling!.id]);
});

test.each(['failed', 'cancelled'])(
  'what the child of a %s parent says later is kept for the session, and shown [orchestrator 23]',
  async (ending) => {
    const parent = await parentOf(
      async ({ spawn, until: untilThere }, [gated, how]) => {
        await spawn('ASYNC_CALLBACK', gated!, { detached: true });
        await untilThere(how!);
        throw new Error('done for');
      },
      [`${untilFile('go')}; echo late`, 'failed'],
    );
    const [child] = await childrenOf(parent, 1);
    await whenStatus(child!.id, 'running');
    if (ending === 'cancelled') await stack.client.call('cancelSubagent', { id: parent.id });
    else release(parent, 'failed');
    expect((await stack.ended(parent.id)).status).toBe(ending);
    const refused = await ask(stack, 'DELETE', `/api/subagents/${parent.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'still_running']);
    release(parent, 'go');
    await stack.ended(child!.id);
    expect(await mailOf(parent.sessionKey)).toMatchObject([
      { invocationId: child!.id, state: 'undelivered', envelope: expect.stringContaining('late') },
    ]);
  },
);

test('an open callback child keeps its parent from being completed, detached or not [orchestrator 23]', async () => {
  const parent = await parentOf(
    async ({ spawn, say }, gated) => {
      await spawn('ASYNC_CALLBACK', gated, { detached: true });
      say('asked');
    },
    `${untilFile('go')}; echo late`,
  );
  expect((await whenStatus(parent.id, 'waiting')).pendingReason).toBe('waits for 1 open children');
  release(parent, 'go');
  expect((await stack.ended(parent.id)).result?.content).toContain('\nlate\n');
});

test('an end that is reported twice, or claimed again, is one callback and one history [orchestrator 28]', async () => {
  await stack.client.call('registerSession', { key: 'twice' });
  const asked = {
    runnerId: 'sh',
    executionMode: 'ASYNC_CALLBACK',
    parentSessionId: 'twice',
  } as const;
  const child = await stack.start('echo once', asked);
  const before = await stack.ended(child.id);
  const [host] = rows<{ id: string; boot_id: string }>(stack.home, 'SELECT id, boot_id FROM hosts');
  const secret = readFileSync(homePaths(stack.home).secret, 'utf8').trim();
  const rowsBefore = counts(stack.home);
  const token = signToken(secret, { role: 'host', hostId: host!.id });
  const from = { hostId: host!.id, bootId: host!.boot_id, invocationId: child.id };
  const at = new Date().toISOString();
  const outcome = {
    ...{ kind: 'succeeded', content: 'twice', tokenUsage: null, exitCode: 0, signal: null },
    ...{ error: null, errorCode: null, errorHint: null },
  };
  const reports = [
    { type: 'event', n: 1, event: { stream: 'stdout', text: 'once\n', at } },
    { type: 'outcome', n: 2, outcome },
  ];
  const asHost = { url: stack.url, token };
  const report = await ask<object>(asHost, 'POST', '/store/reports', {
    body: { ...from, runNo: 1, reports },
  });
  expect(report.body).toEqual({ held: false, status: 'completed' });
  const claim = await ask<object>(asHost, 'POST', '/store/claims', { body: from });
  expect(claim.body).toEqual({ kind: 'nothing', status: 'completed', isHere: false });
  expect(counts(stack.home)).toEqual(rowsBefore);
  expect(await stack.client.call('getSubagent', { id: child.id })).toEqual(before);
  expect(await mailOf('twice')).toHaveLength(1);
});
test('what a program says and returns after its cancel changes nothing [leanspec 9]', async () => {
  const { id } = await sh(
    "trap 'echo fine after all; exit 0' TERM; echo begun; while :; do sleep 0.05; done",
  );
  await until(
    () => stack.transcript(id),
    (turns) => turns.some(({ text }) => text === 'begun\n'),
  );
  const seen = frames(stack, id);
  await cancel(id);
  const record = await stack.ended(id);
  expect(record).toMatchObject({
    status: 'cancelled',
    errorCode: 'cancelled',
    error: 'cancelled on request',
  });
  expect(record.result?.content).toBe('begun\nfine after all');
  expect((await seen).filter(({ event }) => event === 'end')).toHaveLength(1);
  const endings = (await stack.transcript(id)).filter(({ text }) =>
    /^(completed|cancelled|failed)/.test(text),
  );
  expect(endings).toHaveLength(1);
  expect(await cancel(id)).toEqual(record);
});

test('a cancel stops the children of every mode but the detached, and none can be asked for any more [orchestrator 35]', async () => {
  const parent = await parentOf(
    async ({ spawn, note }, gated) => {
      process.on('SIGTERM', () => {
        void spawn('ASYNC_POLL', 'echo late').then(({ code }) => {
          note('late', String(code));
          process.exit(0);
        });
      });
      await spawn('ASYNC_POLL', gated);
      await spawn('ASYNC_CALLBACK', gated);
      await spawn('ASYNC_POLL', gated, { detached: true });
      await spawn('SYNC', gated);
    },
    `${untilFile('go')}; echo done`,
  );
  const [poll, callback, detached, sync] = await childrenOf(parent, 4);
  for (const child of [poll, callback, detached, sync]) await whenStatus(child!.id, 'running');
  await cancel(parent.id);
  expect((await stack.ended(parent.id)).status).toBe('cancelled');
  const stopped = await Promise.all([poll, callback, sync].map((child) => stack.ended(child!.id)));
  expect(stopped.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(written(parent, 'late')).toBe('parent_final\n');
  expect((await stack.client.call('getSubagent', { id: detached!.id })).status).toBe('running');
  release(parent, 'go');
  expect((await stack.ended(detached!.id)).status).toBe('completed');
  await childrenOf(parent, 4);
});

test('when a parent is completed its ASYNC_POLL children go on [orchestrator 35]', async () => {
  const parent = await parentOf(
    async ({ spawn, say }, gated) => {
      await spawn('ASYNC_POLL', gated);
      say('asked');
    },
    `${untilFile('go')}; echo later`,
  );
  expect((await stack.ended(parent.id)).status).toBe('completed');
  const [child] = await childrenOf(parent, 1);
  release(parent, 'go');
  expect((await stack.ended(child!.id)).result?.content).toBe('later');
});
