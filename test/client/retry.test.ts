import { expect, test } from '@jest/globals';
import { createClient } from '../../client/index.ts';
import { hints } from '../../contract/hints.ts';
import { signToken } from '../../domain/token.ts';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  withFakeServer,
} from './fake-server.ts';

const token = 'off_token';

test('a server that restarts is waited for', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, recordOf()),
    async ({ url, stop, start }) => {
      const retries: number[] = [];
      const client = createClient({ url, token, onRetry: ({ sinceMs }) => retries.push(sinceMs) });
      await stop();
      const call = client.call('getSubagent', { id: 'sub_1' });
      await new Promise((resolve) => setTimeout(resolve, 250));
      await start();
      expect((await call).id).toBe('sub_1');
      expect(retries.length).toBeGreaterThan(0);
    },
  );
});

test('a server that stays away is reported after the given time, with what to do', async () => {
  await withFakeServer(
    () => undefined,
    async ({ url, stop }) => {
      await stop();
      const startedAt = Date.now();
      const call = createClient({ url, token, retryMs: 300 }).call('getHealth', {});
      await expect(call).rejects.toMatchObject({
        code: 'server_unavailable',
        message: `The server at ${url} does not answer (ECONNREFUSED).`,
        hint: expect.stringContaining('offshoot up'),
      });
      // Half a minute, had no time been given.
      expect(Date.now() - startedAt).toBeLessThan(15_000);
    },
  );
});

test('an agent that we run is patient for two minutes, anybody else for half a one', async () => {
  await withFakeServer(
    () => undefined,
    async ({ url, stop }) => {
      await stop();
      const over = new AbortController();
      const patience = (one: string) =>
        new Promise<number>((resolve) => {
          const onRetry = ({ retryMs }: { retryMs: number }) => resolve(retryMs);
          const call = createClient({ url, token: one, onRetry }).call(
            'getSubagent',
            { id: 'sub_1' },
            { signal: over.signal },
          );
          call.catch(() => {});
        });
      const claims = { role: 'child', invocationId: 'sub_1', agentId: 'default' } as const;
      const child = signToken('secret', claims);
      expect([await patience(token), await patience(child)]).toEqual([30_000, 120_000]);
      over.abort();
    },
  );
});

test('a call that broke after it had lasted longer than the patience is still repeated', async () => {
  let attempts = 0;
  await withFakeServer(
    (_, response) => {
      attempts += 1;
      if (attempts > 1) return answerJson(response, recordOf());
      return void setTimeout(() => response.socket?.destroy(), 400);
    },
    async ({ url }) => {
      const client = createClient({ url, token, retryMs: 300 });
      expect((await client.call('getSubagent', { id: 'sub_1' })).id).toBe('sub_1');
    },
  );
});

test('patience begins anew with each server that had taken the call and then went away', async () => {
  let attempts = 0;
  await withFakeServer(
    (_, response) => {
      attempts += 1;
      if (attempts > 3) return answerJson(response, recordOf());
      return void setTimeout(() => response.socket?.destroy(), 1_200);
    },
    async ({ url }) => {
      const client = createClient({ url, token, retryMs: 900 });
      expect((await client.call('getSubagent', { id: 'sub_1' })).id).toBe('sub_1');
      expect(attempts).toBe(4);
    },
  );
});

test('a server that takes calls and drops them at once wears the patience out', async () => {
  await withFakeServer(
    (_, response) => void response.socket?.destroy(),
    async ({ url }) => {
      const call = createClient({ url, token, retryMs: 300 }).call('getHealth', {});
      await expect(call).rejects.toMatchObject({ code: 'server_unavailable' });
    },
  );
});

test('a refusal for want of capacity is not asked again', async () => {
  await withFakeServer(
    (_, response) => answerProblem(response, 503, 'capacity'),
    async ({ url, seen }) => {
      const call = createClient({ url, token }).call('getHealth', {});
      await expect(call).rejects.toMatchObject({ code: 'capacity' });
      expect(seen).toHaveLength(1);
    },
  );
});

test('a start that may have reached the server says so when that stays away, and no other call does', async () => {
  await withFakeServer(
    (_, response) => void response.socket?.destroy(),
    async ({ url, stop }) => {
      const client = createClient({ url, token, retryMs: 300 });
      const start = () => client.call('runSubagent', { runnerId: 'demo', prompt: 'x' });
      const mayBeTaken = { code: 'server_unavailable', hint: hints.mayBeTaken.http };
      await expect(start()).rejects.toMatchObject(mayBeTaken);
      await expect(
        client.call('sendToSubagent', { id: 'sub_1', prompt: 'x' }),
      ).rejects.toMatchObject(mayBeTaken);
      const toldToStart = { hint: expect.stringMatching(/^Start it with `offshoot up`/) };
      await expect(client.call('getHealth', {})).rejects.toMatchObject(toldToStart);
      await stop();
      await expect(start()).rejects.toMatchObject(toldToStart);
    },
  );
});

test('a start that the server took before it went away may be taken, whatever came after', async () => {
  await withFakeServer(
    (_, response) => void response.socket?.destroy(),
    async ({ url, seen, stop }) => {
      const client = createClient({ url, token, retryMs: 600 });
      const start = client.call('runSubagent', { runnerId: 'demo', prompt: 'x' });
      while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await stop();
      await expect(start).rejects.toMatchObject({
        message: `The server at ${url} does not answer (ECONNREFUSED).`,
        hint: hints.mayBeTaken.http,
      });
    },
  );
});

test('a SYNC call that was accepted names its id when the server stays away', async () => {
  await withFakeServer(
    (request, response) =>
      request.url === '/api/subagents'
        ? answerJson(response, runningRecord(), 202)
        : void response.socket?.destroy(),
    async ({ url }) => {
      const call = createClient({ url, token, retryMs: 300 }).call('runSubagent', {
        runnerId: 'demo',
        prompt: 'x',
      });
      await expect(call).rejects.toMatchObject({
        code: 'server_unavailable',
        hint: expect.stringMatching(/^sub_1 was accepted/),
      });
    },
  );
});
