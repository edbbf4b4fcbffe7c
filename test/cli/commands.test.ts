import { expect, test } from '@jest/globals';
import { exitCodeTable } from '../../cli/exit-codes.ts';
import { renderCallback, type Ended } from '../../domain/envelope.ts';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  turnOf,
  withFakeServer,
} from '../client/fake-server.ts';
import { cli } from './cli-harness.ts';
import { reportedNode } from './reported-node.ts';

test('list is a table on which all is named by what it was called', async () => {
  const items = [
    runningRecord({ id: 'sub_2', title: 'Build it' }),
    recordOf({ context: { ...recordOf().context, prompt: 'Say\n hello' } }),
  ];
  await withFakeServer(
    (_, response) => answerJson(response, { items, nextCursor: 'c2' }),
    async ({ url, seen }) => {
      const args = ['list', '--runner', 'demo', '--since', '2h', '--limit', '2'];
      const run = await cli(args, { url });
      expect(seen[0]?.url).toBe(
        '/api/subagents?since=2025-12-31T23%3A00%3A00.000Z&limit=2&runnerId=demo',
      );
      expect(run.err).toBe(
        'There are more: offshoot list -r demo --since 2025-12-31T23:00:00.000Z -n 2 --cursor c2\n',
      );
      expect(`\n${run.out}`).toBe(`
ID     STATUS     MODE  RUNNER  TITLE       TOOK  CREATED
sub_2  running    SYNC  demo    Build it          1 h ago
sub_1  completed  SYNC  demo    Say hello  2.5 s  1 h ago
`);
      const quoted = await cli(['list', '--parent', "Jo's main", '--cursor', 'c1'], { url });
      expect(quoted.err).toBe("There are more: offshoot list -p 'Jo'\\''s main' --cursor c2\n");
    },
  );
});

test('get shows state, task and answer; an unknown id exits with 3', async () => {
  await withFakeServer(
    (request, response) =>
      request.url.endsWith('/sub_1')
        ? answerJson(response, recordOf({ parentSessionId: 'main', rootSessionId: 'main' }))
        : answerProblem(response, 404, 'not_found'),
    async ({ url }) => {
      const run = await cli(['get', 'sub_1'], { url });
      expect(run.exitCode).toBe(0);
      expect(`\n${run.out}`).toBe(`
✓ sub_1  completed
  runner     demo
  mode       SYNC
  asked by   main
  root       main
  session    ses_1 (depth 0)
  workspace  /w
  created    2026-01-01T00:00:00.000Z
  started    2026-01-01T00:00:01.000Z
  ended      2026-01-01T00:00:03.500Z
  took       2.5 s
  workflow   subagent/sub_1

Prompt
Say hello

Answer
hello
`);
      expect(await cli(['get', 'sub_0'], { url })).toMatchObject({ exitCode: 3, out: '' });
      const json = await cli(['get', 'sub_1', '--json'], { url });
      expect(JSON.parse(json.out)).toMatchObject({ id: 'sub_1', parentSessionId: 'main' });
    },
  );
});

test('wait for several exits with 1 when one did not complete, and with 6 when one still runs', async () => {
  let answer = {};
  await withFakeServer(
    (_, response) => answerJson(response, answer),
    async ({ url, seen }) => {
      const args = ['wait', 'sub_1', 'sub_2', '--wait', '0'];
      answer = { done: [recordOf(), recordOf({ id: 'sub_2' })], open: [], more: [] };
      expect((await cli(args, { url })).exitCode).toBe(0);
      answer = {
        done: [recordOf(), recordOf({ id: 'sub_2', status: 'cancelled' })],
        open: [],
        more: [],
      };
      expect((await cli(args, { url })).exitCode).toBe(1);
      answer = { done: [recordOf()], open: [runningRecord({ id: 'sub_2' })], more: [] };
      expect((await cli(args, { url })).exitCode).toBe(6);
      expect((await cli([...args, '--any'], { url })).exitCode).toBe(0);
      expect(seen.at(-1)?.body).toEqual({ ids: ['sub_1', 'sub_2'], until: 'any', waitSeconds: 0 });
    },
  );
});

test('wait for one prints its answer', async () => {
  await withFakeServer(
    (request, response) =>
      request.method === 'GET'
        ? answerJson(response, runningRecord())
        : answerJson(response, { done: [recordOf()], open: [], more: [] }),
    async ({ url }) => {
      expect(await cli(['wait', 'sub_1'], { url })).toMatchObject({ exitCode: 0, out: 'hello\n' });
    },
  );
});

test('tree takes a session, an invocation, or the newest', async () => {
  const node = {
    ...reportedNode('main', { harness: 'codex' }),
    total: { sessions: 1, invocations: 0 },
    truncated: false,
  };
  await withFakeServer(
    (request, response) => {
      if (request.url.includes('/large/tree')) {
        const total = { sessions: 7001, invocations: 7000 };
        return answerJson(response, { ...node, total, truncated: true });
      }
      if (request.url.includes('/tree')) return answerJson(response, node);
      const record = recordOf({ rootSessionId: 'the root' });
      if (request.url.includes('/sub_1')) return answerJson(response, record);
      return answerJson(response, { items: [record], nextCursor: null });
    },
    async ({ url, seen }) => {
      expect((await cli(['tree', 'main'], { url })).out).toBe('main  active  codex\n');
      const { err } = await cli(['tree', 'large'], { url });
      expect(err).toContain('Not all is shown: at most 5000 of 7001 sessions');
      seen.length = 0;
      await cli(['tree', 'main'], { url });
      await cli(['tree', 'sub_1'], { url });
      await cli(['tree'], { url });
      await cli(['tree'], { url, env: { AGENT_SESSION_ID: 'mine' } });
      await cli(['tree', 'main', '--agent', 'b'], { url });
      const asked = seen.map((one) => one.url).filter((one) => one.includes('/tree'));
      expect(asked).toEqual([
        '/api/sessions/main/tree',
        '/api/sessions/the%20root/tree?agentId=default',
        '/api/sessions/the%20root/tree?agentId=default',
        '/api/sessions/mine/tree',
        '/api/sessions/main/tree?agentId=b',
      ]);
    },
  );
});

test('logs keep the two streams apart, and follow to the end', async () => {
  const turns = [
    turnOf(1, { role: 'user', text: 'x' }),
    turnOf(2, { text: 'one\n' }),
    turnOf(3, { role: 'stderr', text: 'oh\n' }),
    turnOf(4, { role: 'assistant', text: 'one' }),
  ];
  await withFakeServer(
    (request, response) => {
      if (!request.url.endsWith('/events')) {
        return answerJson(response, { turns, nextAfter: null });
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const turn of turns) {
        response.write(`id: ${turn.seq}\nevent: turn\ndata: ${JSON.stringify(turn)}\n\n`);
      }
      return void response.end(`id: 5\nevent: end\ndata: ${JSON.stringify(recordOf())}\n\n`);
    },
    async ({ url }) => {
      const expected = { exitCode: 0, out: 'one\n', err: 'oh\n' };
      expect(await cli(['logs', 'sub_1'], { url })).toMatchObject(expected);
      expect(await cli(['logs', 'sub_1', '-f'], { url })).toMatchObject(expected);
      const json = await cli(['logs', 'sub_1', '-f', '--json'], { url });
      expect(
        json.out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(turns);
      const transcript = await cli(['transcript', 'sub_1', '--limit', '1'], { url });
      expect(transcript.out).toBe('#1  user  2026-01-01T00:00:02.000Z\nx\n\n');
    },
  );
});

test('logs show a callback as who has ended, how, and what it said, and as it was sent with --json', async () => {
  const ended: Ended = {
    callbackId: 'cb_1',
    invocationId: 'sub_2',
    sessionKey: 'ses_2',
    runnerId: 'demo',
    title: 'Look <there>',
    status: 'completed',
    durationMs: 5,
    tokenUsage: null,
    content: 'It is "blue"\n\n\u001b[31m& <b>\n',
    error: null,
    errorCode: null,
  };
  const failed: Ended = {
    ...ended,
    isRepeat: true,
    title: null,
    status: 'failed',
    content: null,
    error: 'exited with code 3',
    errorCode: 'exit_nonzero',
  };
  const turns = [renderCallback(ended), renderCallback(failed), 'of another form'].map((text, at) =>
    turnOf(at + 1, { role: 'callback', text }),
  );
  await withFakeServer(
    (_, response) => answerJson(response, { turns, nextAfter: null }),
    async ({ url }) => {
      const logs = await cli(['logs', 'sub_1'], { url });
      expect(`\n${logs.out}`).toBe(`
callback from Look <there>: completed
  It is "blue"

  & <b>
callback from sub_2: failed (exit_nonzero), told again
  Error: exited with code 3
of another form
`);
      const json = (await cli(['logs', 'sub_1', '--json'], { url })).out.trim().split('\n');
      expect(json.map((line) => JSON.parse(line) as unknown)).toEqual(turns);
      const transcript = await cli(['transcript', 'sub_1'], { url });
      expect(transcript.out).toContain('<agent-callback id="cb_1"');
    },
  );
});

test('runners say below the table what keeps them from running', async () => {
  const base = { kind: 'command', turns: false, onLost: 'fail' };
  const runners = [
    { ...base, id: 'demo', command: 'node', available: true, reason: null },
    { ...base, id: 'lint', command: 'eslint', available: false, reason: 'eslint is not on PATH' },
  ];
  await withFakeServer(
    (_, response) => answerJson(response, { runners }),
    async ({ url }) => {
      expect(`\n${(await cli(['runners'], { url })).out}`).toBe(`
RUNNER  STATE      TURNS  IF LOST  COMMAND
demo    ready      one    fail     node
lint    not ready  one    fail     eslint

lint: eslint is not on PATH
`);
    },
  );
});

test('the exit codes are shown by --help, by help exit-codes and by exit-codes', async () => {
  for (const args of [['--help'], ['help', 'exit-codes'], ['exit-codes']]) {
    const run = await cli(args);
    expect(run.exitCode).toBe(0);
    expect(run.out).toContain(exitCodeTable);
  }
});

test('the version is printed, and no command at all is a mistake that shows the commands', async () => {
  expect(await cli(['--version'])).toMatchObject({ exitCode: 0, out: '0.1.0\n' });
  const none = await cli([]);
  expect(none.exitCode).toBe(2);
  expect(none.err).toContain('Commands:');
});
