import { expect, test } from '@jest/globals';
import { createClient } from '../../client/client.ts';
import { ProblemError } from '../../client/problem-error.ts';
import { readEnvironment } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  withFakeServer,
} from './fake-server.ts';

const token = 'off_test';

test('an operation fills its path and sends the rest as query or as body', async () => {
  const answers: Record<string, unknown> = {
    GET: { items: [], nextCursor: null },
    POST: { acknowledged: ['cb_1'] },
  };
  await withFakeServer(
    (request, response) => answerJson(response, answers[request.method]),
    async ({ url, seen }) => {
      const client = createClient({ url: `${url}/`, token });
      await client.call('listSubagents', { runnerId: 'a b&c', limit: 3 });
      await client.call('ackCallbacks', { key: 'a/b ü', ids: ['cb_1'] });
      expect(seen.map((one) => [one.method, one.url, one.body])).toEqual([
        ['GET', '/api/subagents?runnerId=a+b%26c&limit=3', null],
        ['POST', '/api/sessions/a%2Fb%20%C3%BC/callbacks/ack', { ids: ['cb_1'] }],
      ]);
      expect(seen[0]?.headers.authorization).toBe('Bearer off_test');
    },
  );
});

test('a refusal is an AppError with code, hint and HTTP status', async () => {
  await withFakeServer(
    (_, response) => answerProblem(response, 404, 'unknown_runner', 'Try demo.'),
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const error: unknown = await client
        .call('runSubagent', { runnerId: 'x', prompt: 'y' })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toBeInstanceOf(ProblemError);
      expect(error).toMatchObject({
        code: 'unknown_runner',
        message: 'It is unknown_runner.',
        hint: 'Try demo.',
        status: 404,
      });
      expect(seen).toHaveLength(1);
    },
  );
});

test('the idempotency key is made once and kept over broken connections and 503', async () => {
  let attempts = 0;
  await withFakeServer(
    (_, response) => {
      attempts += 1;
      if (attempts === 1) return void response.socket?.destroy();
      if (attempts === 2) return answerProblem(response, 503, 'server_unavailable');
      return answerJson(response, recordOf());
    },
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const record = await client.call('runSubagent', { runnerId: 'demo', prompt: 'x' });
      expect(record.status).toBe('completed');
      const keys = seen.map((one) => one.headers['idempotency-key']);
      expect(keys).toHaveLength(3);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(keys).size).toBe(1);
      expect(seen[1]?.body).toEqual(seen[0]?.body);
    },
  );
});

test('two calls have two keys, and a key that is given is sent as it is', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, recordOf()),
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const input = { runnerId: 'demo', prompt: 'x' };
      await client.call('runSubagent', input);
      await client.call('runSubagent', input);
      await client.call('runSubagent', input, { idempotencyKey: 'nachts-ü' });
      const keys = seen.map((one) => one.headers['idempotency-key']);
      expect(keys[0]).not.toBe(keys[1]);
      expect(Buffer.from(String(keys[2]), 'latin1').toString('utf8')).toBe('nachts-ü');
    },
  );
});

test('a SYNC call without an end waits in pieces of at most 50 s until the record is final', async () => {
  let waits = 0;
  await withFakeServer(
    (request, response) => {
      if (request.url === '/api/subagents') return answerJson(response, runningRecord(), 202);
      waits += 1;
      return waits < 3
        ? answerJson(response, { done: [], open: [runningRecord()], more: [] })
        : answerJson(response, { done: [recordOf()], open: [], more: [] });
    },
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const record = await client.call('runSubagent', { runnerId: 'demo', prompt: 'x' });
      expect(record.status).toBe('completed');
      expect(seen.map((one) => [one.url, one.body?.['waitSeconds']])).toEqual([
        ['/api/subagents', 50],
        ['/api/subagents/wait', 50],
        ['/api/subagents/wait', 50],
        ['/api/subagents/wait', 50],
      ]);
    },
  );
});

test("a SYNC call ends with the running record when the caller's own time is over", async () => {
  await withFakeServer(
    (request, response) =>
      request.url === '/api/subagents'
        ? answerJson(response, runningRecord(), 202)
        : answerJson(response, { done: [], open: [runningRecord()], more: [] }),
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const input = { runnerId: 'demo', prompt: 'x', waitSeconds: 0.5 };
      const record = await client.call('runSubagent', input);
      expect(record.status).toBe('running');
      expect(seen[0]?.body?.['waitSeconds']).toBe(0.5);
      const pieces = seen.slice(1).map((one) => Number(one.body?.['waitSeconds']));
      expect(pieces.every((seconds) => seconds >= 0 && seconds <= 0.5)).toBe(true);
    },
  );
});

test('an asynchronous call answers with the first answer and carries no wait', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, runningRecord({ executionMode: 'ASYNC_POLL' }), 202),
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      await client.call('runSubagent', { runnerId: 'd', prompt: 'x', executionMode: 'ASYNC_POLL' });
      await client.call('sendToSubagent', { id: 'sub_1', prompt: 'more' });
      expect(seen).toHaveLength(2);
      expect(seen.every((one) => !('waitSeconds' in (one.body ?? {})))).toBe(true);
    },
  );
});

test('a wait for any of several ends with the first', async () => {
  await withFakeServer(
    (_, response) =>
      answerJson(response, { done: [recordOf()], open: [runningRecord()], more: [] }),
    async ({ url, seen }) => {
      const client = createClient({ url, token });
      const input = { ids: ['sub_1', 'sub_2'], until: 'any' as const };
      const { done } = await client.call('waitSubagents', input);
      expect(done).toHaveLength(1);
      expect(seen).toHaveLength(1);
    },
  );
});

test('a wait whose connection breaks goes on', async () => {
  let attempts = 0;
  await withFakeServer(
    (_, response) => {
      attempts += 1;
      if (attempts > 1) return answerJson(response, { done: [recordOf()], open: [], more: [] });
      // Half an answer, then nothing.
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"done":');
      return void setTimeout(() => response.socket?.destroy(), 50);
    },
    async ({ url }) => {
      const answer = await createClient({ url, token }).call('waitSubagents', { ids: ['sub_1'] });
      expect(answer.done[0]?.id).toBe('sub_1');
      expect(attempts).toBe(2);
    },
  );
});

test('a signal ends the waiting at once and asks for nothing more', async () => {
  await withFakeServer(
    () => undefined,
    async ({ url, seen }) => {
      const stop = new AbortController();
      const call = createClient({ url, token }).call(
        'runSubagent',
        { runnerId: 'demo', prompt: 'x' },
        { signal: stop.signal },
      );
      setTimeout(() => stop.abort(), 100);
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      expect(seen).toHaveLength(1);
    },
  );
});

test('who asks is said when something is run or waited for, and with no other read', async () => {
  await withFakeServer(
    (request, response) =>
      answerJson(
        response,
        request.url.endsWith('/wait') ? { done: [recordOf()], open: [], more: [] } : recordOf(),
      ),
    async ({ url, seen }) => {
      const client = createClient({ url, token, parentSessionId: 'main-ü😀' });
      const input = { runnerId: 'demo', prompt: 'x' };
      await client.call('getSubagent', { id: 'sub_1' });
      await client.call('runSubagent', input);
      await client.call('runSubagent', input, { parentSessionId: null });
      await client.call('runSubagent', { ...input, parentSessionId: 'other' });
      await client.call('waitSubagents', { ids: ['sub_1'] });
      const parents = seen.map((one) => one.headers['x-agent-session-id']);
      const asText = parents.map((sent) => sent && Buffer.from(`${sent}`, 'latin1').toString());
      expect(asText).toEqual([undefined, 'main-ü😀', undefined, undefined, 'main-ü😀']);
      expect(seen[4]?.headers['idempotency-key']).toBeUndefined();
    },
  );
});

test('the span in which a client asks goes along with what it starts, and with nothing else', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, recordOf({})),
    async ({ url, seen }) => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const input = { runnerId: 'demo', prompt: 'go', executionMode: 'ASYNC_POLL' } as const;
      const client = createClient({ url, token, traceparent });
      await client.call('runSubagent', input);
      await client.call('getSubagent', { id: 'sub_1' });
      await createClient({ url, token }).call('runSubagent', input);
      expect(seen.map((one) => one.headers['traceparent'])).toEqual([
        traceparent,
        undefined,
        undefined,
      ]);
    },
  );
});

test('only a traceparent that is one is taken from the environment', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const read = (TRACEPARENT: string) => readEnvironment({ TRACEPARENT }).traceparent;
  expect([read(traceparent), read('nonsense'), read(`${traceparent}\nx: y`)]).toEqual([
    traceparent,
    null,
    null,
  ]);
});

test('an answer that is not ours names the address, and one of another version says so', async () => {
  await withFakeServer(
    (request, response) =>
      request.url === '/api/health'
        ? void response.end('<html>hello</html>')
        : answerJson(response, { id: 7 }),
    async ({ url }) => {
      const client = createClient({ url, token });
      await expect(client.call('getHealth', {})).rejects.toMatchObject({
        code: 'server_unavailable',
        message: `What answers at ${url} is not Offshoot.`,
      });
      await expect(client.call('getSubagent', { id: 'sub_1' })).rejects.toMatchObject({
        code: 'internal',
        hint: expect.stringContaining('versions'),
      });
    },
  );
});

test.each(['localhost', 'localhost:8464', '127.0.0.1:8464', 'ftp://localhost'])(
  'an address that is none is refused by name: %s',
  (url) => {
    expect(() => createClient({ url, token })).toThrow(`"${url}" is not an address.`);
  },
);
