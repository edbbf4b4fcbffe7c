import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SubAgentSessionManager } from '../../client/index.ts';
import { homePaths } from '../../contract/home.ts';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  turnOf,
  withFakeServer,
} from './fake-server.ts';

const token = 'off_test';

test('invoke resolves at completion with the shape of the seed: dates, and absent fields absent', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, recordOf()),
    async ({ url, seen }) => {
      const manager = new SubAgentSessionManager({ url, token, parentSessionId: 'main' });
      const session = await manager.invoke('demo', 'Say hello', { workspacePath: '/w' });
      expect(session).toStrictEqual({
        id: 'sub_1',
        runnerId: 'demo',
        status: 'completed',
        createdAt: new Date('2026-01-01T00:00:00.000Z'),
        startedAt: new Date('2026-01-01T00:00:01.000Z'),
        completedAt: new Date('2026-01-01T00:00:03.500Z'),
        context: { workspacePath: '/w', prompt: 'Say hello' },
        result: { content: 'hello', durationMs: 2500 },
        agentId: 'default',
        sessionKey: 'ses_1',
        executionMode: 'SYNC',
        rootSessionId: 'ses_1',
        depth: 0,
        detached: false,
        workflowId: 'subagent/sub_1',
      });
      expect(seen[0]?.headers['x-agent-session-id']).toBe('main');
      expect(seen[0]?.body).toEqual({
        runnerId: 'demo',
        prompt: 'Say hello',
        context: { workspacePath: '/w' },
        waitSeconds: 50,
      });
    },
  );
});

test('a failure is a result with error, partial answer and usage, not an exception', async () => {
  const failed = recordOf({
    status: 'failed',
    error: 'exit 3',
    errorCode: 'exit_nonzero',
    errorHint: 'See the transcript.',
    result: { content: 'half', tokenUsage: { input: 1, output: 2 }, durationMs: 5 },
    context: { workspacePath: '/w', specId: '002', prompt: 'p', files: [] },
  });
  await withFakeServer(
    (_, response) => answerJson(response, failed),
    async ({ url }) => {
      const manager = new SubAgentSessionManager({ url, token, parentSessionId: null });
      expect(await manager.invoke('demo', 'p', {})).toMatchObject({
        status: 'failed',
        error: 'exit 3',
        errorCode: 'exit_nonzero',
        errorHint: 'See the transcript.',
        result: { content: 'half', tokenUsage: { input: 1, output: 2 } },
        context: { specId: '002', files: [] },
      });
    },
  );
});

test('options go where they belong: mode and title into the request, key and parent into headers', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, runningRecord({ executionMode: 'ASYNC_CALLBACK' }), 202),
    async ({ url, seen }) => {
      const manager = new SubAgentSessionManager({ url, token, parentSessionId: 'main' });
      const session = await manager.invoke(
        'demo',
        'p',
        { specId: '7', env: { A: 'b' } },
        {
          executionMode: 'ASYNC_CALLBACK',
          parentSessionId: 'other',
          title: 'T',
          detached: true,
          limits: { maxDepth: 1 },
          idempotencyKey: 'k1',
        },
      );
      expect(session.status).toBe('running');
      expect('completedAt' in session || 'result' in session).toBe(false);
      expect(seen[0]?.headers).toMatchObject({
        'x-agent-session-id': 'other',
        'idempotency-key': 'k1',
      });
      expect(seen[0]?.body).toEqual({
        runnerId: 'demo',
        prompt: 'p',
        context: { specId: '7', env: { A: 'b' } },
        executionMode: 'ASYNC_CALLBACK',
        title: 'T',
        detached: true,
        limits: { maxDepth: 1 },
      });
    },
  );
});

test('null is as good as nothing, in options, contexts and filters', async () => {
  await withFakeServer(
    (request, response) =>
      answerJson(
        response,
        request.url === '/api/subagents' ? recordOf() : { items: [], nextCursor: null },
      ),
    async ({ url, seen }) => {
      const manager = new SubAgentSessionManager({ url, token, parentSessionId: null });
      const options = { title: null, waitSeconds: null, idempotencyKey: null, limits: null };
      await manager.invoke('demo', 'p', { specId: null, files: null }, options);
      await manager.list({ specId: 's', runnerId: null, since: null, limit: null });
      // It waits without end, in pieces; the server drops the rest.
      expect(seen[0]?.body).toMatchObject({ waitSeconds: 50, title: null });
      expect(seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
      expect(seen[1]?.url).toBe('/api/subagents?specId=s&limit=500');
    },
  );
});

test('get gives null for an unknown id, and throws for everything else', async () => {
  await withFakeServer(
    (request, response) =>
      request.url.endsWith('/sub_0')
        ? answerProblem(response, 404, 'not_found')
        : answerProblem(response, 403, 'forbidden'),
    async ({ url }) => {
      const manager = new SubAgentSessionManager({ url, token });
      expect(await manager.get('sub_0')).toBeNull();
      await expect(manager.get('sub_9')).rejects.toMatchObject({ code: 'forbidden' });
    },
  );
});

test('list follows the cursor, passes its filters and stops at its limit', async () => {
  await withFakeServer(
    (request, response) => {
      const query = new URL(request.url, 'http://x').searchParams;
      const from = Number(query.get('cursor') ?? 0);
      const count = Number(query.get('limit'));
      const items = Array.from({ length: count }, (_, at) => recordOf({ id: `sub_${from + at}` }));
      answerJson(response, { items, nextCursor: String(from + count) });
    },
    async ({ url, seen }) => {
      const manager = new SubAgentSessionManager({ url, token });
      const since = new Date('2026-01-01T00:00:00Z');
      const some = await manager.list({ runnerId: 'demo', since, limit: 700 });
      expect(some).toHaveLength(700);
      expect(new Set(some.map((one) => one.id)).size).toBe(700);
      expect(seen.map((one) => one.url)).toEqual([
        '/api/subagents?runnerId=demo&since=2026-01-01T00%3A00%3A00.000Z&limit=500',
        '/api/subagents?runnerId=demo&since=2026-01-01T00%3A00%3A00.000Z&limit=200&cursor=500',
      ]);
      // Without a limit it ends at the documented bound, however much there is.
      expect(await manager.getSpecHistory('002')).toHaveLength(10_000);
      expect(seen[2]?.url).toBe('/api/specs/002/history?limit=500');
    },
  );
});

test('a transcript is read page by page, with dates', async () => {
  await withFakeServer(
    (request, response) =>
      request.url.includes('after=2')
        ? answerJson(response, { turns: [turnOf(3)], nextAfter: null })
        : answerJson(response, { turns: [turnOf(1), turnOf(2)], nextAfter: 2 }),
    async ({ url }) => {
      const manager = new SubAgentSessionManager({ url, token });
      const seqs: number[] = [];
      for await (const turn of manager.transcript('sub_1')) {
        expect(turn.at).toBeInstanceOf(Date);
        seqs.push(turn.seq);
      }
      expect(seqs).toEqual([1, 2, 3]);
    },
  );
});

test('a manager of a home finds its server, also when that comes up later', async () => {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-manager-'));
  try {
    await withFakeServer(
      (_, response) => answerJson(response, recordOf()),
      async ({ url, seen }) => {
        const manager = new SubAgentSessionManager({ home });
        await expect(manager.get('sub_1')).rejects.toMatchObject({ code: 'server_unavailable' });
        const { serverFile, token: tokenFile } = homePaths(home);
        const temporal = { address: null, namespace: 'default', uiUrl: null };
        writeFileSync(tokenFile, 'off_home\n');
        writeFileSync(serverFile, JSON.stringify({ url, pid: 1, tokenFile, temporal }));
        expect((await manager.get('sub_1'))?.id).toBe('sub_1');
        expect(seen[0]?.headers.authorization).toBe('Bearer off_home');
      },
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("a home's token is not sent to an address of another", async () => {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-manager-'));
  try {
    const { serverFile, token: tokenFile } = homePaths(home);
    const temporal = { address: null, namespace: 'default', uiUrl: null };
    writeFileSync(tokenFile, 'off_home\n');
    const url = 'http://127.0.0.1:9';
    writeFileSync(serverFile, JSON.stringify({ url, pid: 1, tokenFile, temporal }));
    const manager = new SubAgentSessionManager({ home, url: 'http://elsewhere.example' });
    await expect(manager.get('sub_1')).rejects.toMatchObject({ code: 'bad_request' });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("a token of the environment alone is used, and not the home's", async () => {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-manager-'));
  const before = { ...process.env };
  try {
    await withFakeServer(
      (_, response) => answerJson(response, recordOf()),
      async ({ url, seen }) => {
        const { serverFile, token: tokenFile } = homePaths(home);
        const temporal = { address: null, namespace: 'default', uiUrl: null };
        writeFileSync(tokenFile, 'off_home\n');
        writeFileSync(serverFile, JSON.stringify({ url, pid: 1, tokenFile, temporal }));
        Object.assign(process.env, { OFFSHOOT_HOME: home, OFFSHOOT_TOKEN: 'off_child' });
        await new SubAgentSessionManager().get('sub_1');
        expect(seen[0]?.headers.authorization).toBe('Bearer off_child');
      },
    );
  } finally {
    process.env = before;
    rmSync(home, { recursive: true, force: true });
  }
});
