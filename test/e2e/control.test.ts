/** Following, stopping, sending on, deleting, and who may do so. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SubAgentRecord } from '../../contract/records.ts';
import { isAlive } from '../runners/run-fixture.ts';
import { agentFile, program, release, runners, untilFile, written } from './agents.ts';
import { familyOf } from './family.ts';
import { ask, frames } from './requests.ts';
import { counts } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: { runners, limits: { killGraceSeconds: 2 } } });
}, 60_000);
afterAll(() => stack.stop(), 60_000);
const { sh, parentOf, childrenOf, whenStatus, cancel } = familyOf(() => stack);

test('of eight at once four run, the others wait their turn, and all come to their end [leanspec 40]', async () => {
  const started: SubAgentRecord[] = [];
  for (let n = 1; n <= 8; n += 1) started.push(await sh(`${untilFile('go')}; echo ${n}`));
  const now = () => Promise.all(started.map(({ id }) => stack.client.call('getSubagent', { id })));
  const whenRunning = async (...numbers: number[]) => {
    const isWanted = (records: SubAgentRecord[]) => numbers.every((n) => records[n - 1]!.startedAt);
    const begun = (await until(now, isWanted)).map(({ startedAt }) => startedAt !== null);
    expect(begun).toEqual(begun.map((_, index) => index < numbers.length));
  };
  await whenRunning(1, 2, 3, 4);
  release(started[2]!, 'go');
  await whenRunning(1, 2, 3, 4, 5);
  for (const record of started) release(record, 'go');
  const ended = await Promise.all(started.map(({ id }) => stack.ended(id)));
  expect(ended.map(({ result }) => Number(result?.content))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const starts = ended.map((record) => Date.parse(record.startedAt!));
  const ends = ended.map((record) => Date.parse(record.completedAt!));
  const together = starts.map(
    (at) => starts.filter((from, index) => from <= at && at < ends[index]!).length,
  );
  expect(Math.max(...together)).toBe(4);
});

test('the stream has every line once, in order, by its stream, goes on where a reader left, and ends with the end [leanspec 32]', async () => {
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const { id } = await sh(
    `for n in ${numbers.join(' ')}; do echo out $n; echo err $n >&2; sleep 0.15; done`,
  );
  const first = await frames(stack, id, { most: 4 });
  const second = await frames(stack, id, { lastEventId: first.at(-1)!.id! });
  const turns = [...first, ...second].filter(({ event }) => event === 'turn');
  expect(turns.map((frame) => frame.id)).toEqual(turns.map((_, index) => index + 1));
  const text = (role: string) =>
    turns
      .filter(({ data }) => data.role === role)
      .map(({ data }) => data.text)
      .join('');
  expect(text('stdout')).toBe(numbers.map((n) => `out ${n}\n`).join(''));
  expect(text('stderr')).toBe(numbers.map((n) => `err ${n}\n`).join(''));
  expect([...first, ...second].map(({ event }) => event).indexOf('end')).toBe(turns.length);
  // The stream closed by itself; whoever comes back is told the end again and nothing else.
  const again = await frames(stack, id, { lastEventId: turns.at(-1)!.id! });
  expect(again.map(({ event, data }) => [event, data.status])).toEqual([['end', 'completed']]);
});

test('two messages sent at once to one session are two runs, one after the other [leanspec 10]', async () => {
  const first = await parentOf(async ({ later, say }) => {
    later(
      'tools.note("log", "begin"); await tools.sleep(0.2); tools.note("log", "end"); tools.say("ok")',
    );
    say('ready');
  });
  await stack.ended(first.id);
  const send = () => stack.client.call('sendToSubagent', { id: first.id, prompt: 'go' });
  const sent = await Promise.all([send(), send()]);
  await Promise.all(sent.map(({ id }) => stack.ended(id)));
  expect(written(first, 'log')).toBe('begin\nend\nbegin\nend\n');
});

test('a cancelled program is asked, then forced, with all that it has started [leanspec 37]', async () => {
  const record = await sh(
    `trap '' TERM
     sh -c 'trap "" TERM; sleep 60; sleep 60' & echo $! >> pids
     sleep 60 & echo $! >> pids
     '${process.execPath}' '${agentFile('leave-grandchild')}' own-output >> pids
     echo $$ >> pids; touch ready
     while :; do sleep 0.1; done`,
  );
  await until(
    async () => written(record, 'ready'),
    (text) => text !== null,
  );
  const pids = written(record, 'pids')!.trim().split('\n').map(Number);
  const startedAt = Date.now();
  await cancel(record.id);
  expect((await stack.ended(record.id)).status).toBe('cancelled');
  expect(Date.now() - startedAt).toBeGreaterThan(1900);
  expect(pids.map(isAlive)).toEqual([false, false, false, false]);
});

test('a SYNC caller that goes away mid-call loses nothing [leanspec 43]', async () => {
  const gone = new AbortController();
  const headers = { 'idempotency-key': 'left' };
  const body = { runnerId: 'sh', prompt: 'sleep 0.5; echo still done' };
  const call = ask(stack, 'POST', '/api/subagents', { body, headers, signal: gone.signal });
  await until(
    () => stack.client.call('listSubagents', { limit: 1 }),
    ({ items }) => items[0]?.context.prompt === body.prompt,
  );
  gone.abort();
  await expect(call).rejects.toThrow();
  const again = await ask(stack, 'POST', '/api/subagents', { body, headers });
  expect(again.body).toMatchObject({ status: 'completed', result: { content: 'still done' } });
});

test('a second message to a busy session waits, and spoils nothing [orchestrator 36]', async () => {
  const first = await sh(`${untilFile('go')}; echo first`);
  await whenStatus(first.id, 'running');
  const second = await stack.client.call('sendToSubagent', { id: first.id, prompt: 'second' });
  expect(second).toMatchObject({
    status: 'pending',
    sessionKey: first.sessionKey,
    pendingReason: 'waits for an earlier message on its session',
  });
  expect((await stack.client.call('getSubagent', { id: first.id })).status).toBe('running');
  release(first, 'go');
  expect((await stack.ended(first.id)).status).toBe('completed');
  expect((await stack.ended(second.id)).status).toBe('completed');
});

test('each result belongs to the invocation that was asked for, not to the last on its session [orchestrator 42]', async () => {
  const first = await sh('echo one');
  await stack.ended(first.id);
  const second = await stack.client.call('sendToSubagent', {
    id: first.id,
    prompt: 'two',
    executionMode: 'SYNC',
  });
  expect(second.result?.content).toBe('two');
  expect((await stack.ended(first.id)).result?.content).toBe('one');
  const { items } = await stack.client.call('listSubagents', { rootSessionId: first.sessionKey });
  expect(items.map(({ result }) => result?.content)).toEqual(['two', 'one']);
});

test('an agent lists, reads and stops what it has asked for, and nothing else [orchestrator 44]', async () => {
  const other = await sh(untilFile('go'));
  const child = program<Pick<SubAgentRecord, 'id' | 'sessionKey'>>(
    async ({ ask: askAs, env, spawn, say }, foreign) => {
      const own = await spawn('ASYNC_POLL', 'sleep 60');
      const below = await askAs<{ items: { id: string }[] }>('GET', '/api/subagents');
      const stop = await askAs<{ status: string }>('POST', `/api/subagents/${own.id}/cancel`, {});
      const refused: unknown[] = [];
      const above = env['ABOVE']!;
      const sent = { prompt: 'hi' };
      for (const [method, path, body] of [
        ['GET', `/api/subagents/${foreign.id}`],
        ['GET', `/api/subagents/${foreign.id}/transcript`],
        ['POST', `/api/subagents/${foreign.id}/cancel`, {}],
        ['POST', `/api/subagents/${foreign.id}/send`, sent],
        ['DELETE', `/api/subagents/${foreign.id}`],
        ['GET', `/api/sessions/${foreign.sessionKey}/tree`],
        ['GET', `/api/sessions/${foreign.sessionKey}/callbacks`],
        ['POST', '/api/subagents/wait', { ids: [foreign.id] }],
        [
          'POST',
          '/api/subagents',
          { runnerId: 'sh', ...sent, parentSessionId: foreign.sessionKey },
        ],
        ['POST', `/api/subagents/${above}/cancel`, {}],
        ['POST', `/api/subagents/${env['OFFSHOOT_INVOCATION_ID']}/cancel`, {}],
        ['PUT', '/api/sessions/mine', {}],
      ] as [string, string, unknown][]) {
        refused.push((await askAs(method, path, body)).status);
      }
      const read = await askAs('GET', `/api/subagents/${above}/transcript`);
      say({
        own: own.id,
        below: below.body.items.map(({ id }) => id),
        stop: stop.status,
        refused,
        read: read.status,
      });
    },
    { id: other.id, sessionKey: other.sessionKey },
  );
  const top = program<string>(async ({ env, spawn, say }, prompt) => {
    await spawn('ASYNC_POLL', 'echo sibling');
    const above = { env: { ABOVE: env['OFFSHOOT_INVOCATION_ID'] } };
    const { result } = await spawn('SYNC', prompt, { runnerId: 'js', context: above });
    say(result!.content);
  }, child);
  const { result } = await stack.ended((await stack.start(top, { runnerId: 'js' })).id);
  const told = JSON.parse(result!.content);
  expect(told).toMatchObject({ below: [told.own], stop: 200, read: 200 });
  expect(told.refused).toEqual(told.refused.map(() => 403));
  expect((await stack.ended(told.own)).status).toBe('cancelled');
  expect((await stack.client.call('getSubagent', { id: other.id })).status).toBe('running');
  await cancel(other.id);
});

test('deleting is refused while something below runs, then takes all below, and counts it [orchestrator 39]', async () => {
  const parent = await parentOf(
    async ({ spawn, say }, gated) => {
      await spawn('ASYNC_POLL', gated);
      await spawn('SYNC', 'echo quick');
      say('asked');
    },
    `${untilFile('go')}; echo done`,
  );
  await stack.ended(parent.id);
  const [child, other] = await childrenOf(parent, 2);
  const before = counts(stack.home);
  for (const path of [`/api/subagents/${parent.id}`, `/api/sessions/${parent.sessionKey}`]) {
    const { status, body } = await ask(stack, 'DELETE', path);
    expect([status, body.code]).toEqual([409, 'still_running']);
    expect(body.detail).toContain(child!.id);
  }
  expect(counts(stack.home)).toEqual(before);
  release(parent, 'go');
  await stack.ended(child!.id);
  const full = counts(stack.home);
  const deleted = await stack.client.call('deleteSubagent', { id: parent.id });
  expect(deleted).toMatchObject({ sessions: 3, invocations: 3, callbacks: 0 });
  const left = counts(stack.home);
  expect(full['turns']! - left['turns']!).toBe(deleted.turns);
  expect(full['subagent_sessions']! - left['subagent_sessions']!).toBe(3);
  for (const { id } of [parent, child!, other!]) {
    expect((await ask(stack, 'GET', `/api/subagents/${id}`)).status).toBe(404);
  }
});

test('deleting an external session takes its mail and all that it had asked for [leanspec 45]', async () => {
  await stack.client.call('registerSession', { key: 'visitor' });
  const asked = { parentSessionId: 'visitor', executionMode: 'ASYNC_CALLBACK' } as const;
  const child = await sh(`${untilFile('go')}; echo done`, asked);
  const running = await ask(stack, 'DELETE', '/api/sessions/visitor');
  expect([running.status, running.body.code]).toEqual([409, 'still_running']);
  release(child, 'go');
  await stack.ended(child.id);
  const deleted = await stack.client.call('deleteSession', { key: 'visitor' });
  expect(deleted).toMatchObject({ sessions: 2, invocations: 1, callbacks: 1 });
  expect((await ask(stack, 'GET', '/api/sessions/visitor/tree')).status).toBe(404);
  expect((await ask(stack, 'GET', `/api/subagents/${child.id}`)).status).toBe(404);
});
