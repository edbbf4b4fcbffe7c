import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  answerJson,
  answerProblem,
  recordOf,
  runningRecord,
  withFakeServer,
  type Answer,
} from '../client/fake-server.ts';
import { cli, writeServerFile } from './cli-harness.ts';

/** Accepts, then answers the wait with `end`; without it the wait stays open. */
const syncServer =
  (end = recordOf()): Answer =>
  (request, response) =>
    request.url === '/api/subagents'
      ? answerJson(response, runningRecord(), 202)
      : answerJson(response, { done: [end], open: [], more: [] });

test('a piped SYNC run prints the answer on standard output and nothing else', async () => {
  await withFakeServer(syncServer(), async ({ url, seen }) => {
    const run = await cli(['run', 'demo', 'Say hello'], { url });
    expect(run).toMatchObject({ exitCode: 0, out: 'hello\n', err: '' });
    expect(seen[0]?.body).toEqual({
      runnerId: 'demo',
      prompt: 'Say hello',
      executionMode: 'SYNC',
      context: { workspacePath: '/work/here' },
      limits: {},
      waitSeconds: 0,
    });
  });
});

test('every option reaches the request', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, runningRecord({ executionMode: 'ASYNC_POLL' }), 202),
    async ({ url, seen }) => {
      const args = ['run', 'demo', '--prompt', 'x', '--mode', 'ASYNC_POLL', '--title', 'T'];
      args.push('--workspace', 'sub', '--file', 'a.txt', '--file', '/work/here/sub/b.txt');
      args.push('--spec', '7', '--env', 'A=b=c', '--env', 'SECRET', '--detached');
      args.push('--key', 'k', '--parent', 'main', '--max-depth', '1', '--wall', '60');
      const run = await cli(args, { url, env: { SECRET: 's3' } });
      expect(run).toMatchObject({ exitCode: 0, out: 'sub_1\n', err: '' });
      expect(seen[0]?.body).toEqual({
        runnerId: 'demo',
        prompt: 'x',
        executionMode: 'ASYNC_POLL',
        context: {
          workspacePath: '/work/here/sub',
          files: ['a.txt', 'b.txt'],
          specId: '7',
          env: { A: 'b=c', SECRET: 's3' },
        },
        title: 'T',
        detached: true,
        limits: { maxDepth: 1, wallSeconds: 60 },
      });
      expect(seen[0]?.headers).toMatchObject({
        'idempotency-key': 'k',
        'x-agent-session-id': 'main',
      });
    },
  );
});

test.each([
  ['an argument', ['the task'], undefined],
  ['--prompt', ['--prompt', 'the task'], undefined],
  ['standard input, named', ['-'], 'the task'],
  ['standard input, a pipe', [], 'the task'],
])('the prompt comes from %s', async (_, args, stdin) => {
  await withFakeServer(syncServer(), async ({ url, seen }) => {
    const options = stdin === undefined ? { url } : { url, stdin };
    expect((await cli(['run', 'demo', ...args], options)).exitCode).toBe(0);
    expect(seen[0]?.body?.['prompt']).toBe('the task');
  });
});

test('a prompt file is taken byte for byte', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'offshoot-cli-'));
  try {
    const text = '\uFEFF --leading dash\r\n"quotes" 😀\n\n';
    writeFileSync(join(cwd, 'task.md'), text);
    await withFakeServer(syncServer(), async ({ url, seen }) => {
      await cli(['run', 'demo', '--prompt-file', 'task.md'], { url, cwd });
      expect(seen[0]?.body?.['prompt']).toBe(text);
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test.each([
  [['run', 'demo', 'x', '--prompt', 'y'], 'The prompt is given more than once.'],
  [['run', 'demo', ' \n'], 'The prompt is empty.'],
  [['run', 'demo', '--prompt-file', 'no-such-file'], 'The prompt file cannot be read'],
  [['run', 'demo', '--prompt-file', '/dev/zero'], 'The prompt is over 16777216 bytes.'],
  [['run', 'demo', 'x', '--mode', 'sync'], 'Allowed choices are SYNC, ASYNC_POLL, ASYNC_CALLBACK.'],
  [['run', 'demo', 'x', '--wait', 'soon'], 'It must be a number of seconds'],
  [['run', 'demo', 'x', '--env', 'NO_SUCH_VARIABLE'], 'there is no variable of that name here'],
  [['run', 'demo', 'x', 'y'], 'too many arguments'],
  [['run'], "missing required argument 'runner'"],
  [['run', 'demo', 'x', '--modes'], "unknown option '--modes'"],
  [['rum'], "unknown command 'rum'"],
  [['list', '--since', 'yesterday'], 'It must be a date'],
  [['list', '--status', 'done'], 'Allowed choices are pending'],
  [['up', '--port', '70000'], 'It must be a port'],
])('%j is refused with exit code 2 before anything is asked', async (args, message) => {
  const run = await cli(args, { url: 'http://127.0.0.1:1' });
  expect(run.exitCode).toBe(2);
  expect(run.err).toContain(message);
  expect(run.out).toBe('');
});

test('without a prompt on a terminal nobody waits for standard input', async () => {
  const run = await cli(['run', 'demo'], { url: 'http://127.0.0.1:1', isTerminal: true });
  expect(run).toMatchObject({ exitCode: 2 });
  expect(run.err).toContain('There is no prompt.');
});

test('bytes that are not UTF-8 are refused, not changed', async () => {
  const stdin = Uint8Array.from([0x66, 0xff]);
  const run = await cli(['run', 'demo', '-'], { url: 'http://127.0.0.1:1', stdin });
  expect(run).toMatchObject({ exitCode: 2 });
  expect(run.err).toContain('not valid UTF-8');
});

test('a failed run says why and what to do on standard error, and exits with 1', async () => {
  const failed = recordOf({
    status: 'failed',
    error: 'The program ended with 3:\nno such model',
    errorCode: 'exit_nonzero',
    errorHint: 'See what it wrote: `offshoot logs <id>`.',
    result: { content: 'half an answer', tokenUsage: null, durationMs: 61_000 },
  });
  await withFakeServer(syncServer(failed), async ({ url }) => {
    const run = await cli(['run', 'demo', 'x'], { url });
    expect(run).toMatchObject({ exitCode: 1, out: '' });
    expect(run.err).toBe(
      '✗ sub_1 failed in 1 min 01 s\n' +
        '  The program ended with 3:\n' +
        '  no such model\n' +
        '  See what it wrote: `offshoot logs sub_1`.\n' +
        '  What it had said so far: offshoot get sub_1\n',
    );
  });
});

test('with --json the record is printed whole, whatever became of it', async () => {
  const end = recordOf({ status: 'timed_out', error: 'Too long.' });
  await withFakeServer(syncServer(end), async ({ url }) => {
    const run = await cli(['run', 'demo', 'x', '--json'], { url });
    expect(run).toMatchObject({ exitCode: 1, err: '' });
    expect(JSON.parse(run.out)).toEqual(end);
  });
});

test('when --wait is over the run goes on, and the exit code is 6', async () => {
  await withFakeServer(
    (request, response) =>
      request.url === '/api/subagents'
        ? answerJson(response, runningRecord(), 202)
        : answerJson(response, {
            done: [],
            open: [runningRecord({ pendingReason: 'no slot' })],
            more: [],
          }),
    async ({ url }) => {
      const run = await cli(['run', 'demo', 'x', '--wait', '0.3'], { url });
      expect(run).toMatchObject({ exitCode: 6, out: '' });
      expect(run.err).toBe('sub_1 is still running (no slot). It goes on: offshoot wait sub_1\n');
    },
  );
});

test('when its server stays away, a run that was accepted tells its id', async () => {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-cli-'));
  await withFakeServer(
    (request, response) =>
      request.url === '/api/subagents'
        ? answerJson(response, runningRecord(), 202)
        : void response.socket?.destroy(),
    async ({ url }) => {
      writeServerFile(home, { url, pid: spawnSync('true').pid });
      for (const isTerminal of [false, true]) {
        const run = await cli(['run', 'demo', 'x'], { home, isTerminal });
        expect(run).toMatchObject({ exitCode: 4, out: '' });
        expect(run.err).toContain('It was accepted, and goes on');
        expect(run.err).toContain('`offshoot wait sub_1`');
      }
    },
  );
  rmSync(home, { recursive: true, force: true });
});

test('an answer cannot steer the terminal, and reaches a pipe as it is', async () => {
  const content = 'red \u001B[31mtext\u001B]0;title\u0007\r\nend';
  const end = recordOf({ result: { content, tokenUsage: null, durationMs: 1 } });
  await withFakeServer(syncServer(end), async ({ url }) => {
    const shown = await cli(['run', 'demo', 'x', '--quiet'], { url, isTerminal: true });
    expect(shown.out).toBe('red text\nend\n');
    expect((await cli(['run', 'demo', 'x'], { url })).out).toBe(`${content}\n`);
  });
});

test('who asks is taken from the environment', async () => {
  await withFakeServer(syncServer(), async ({ url, seen }) => {
    // Whoever waits stands still, and lends its slot.
    const env = { AGENT_SESSION_ID: 'ses_7' };
    await cli(['run', 'demo', 'x'], { url, env });
    await cli(['wait', 'sub_1', 'sub_2'], { url, env });
    expect(seen.map((one) => [one.url, one.headers['x-agent-session-id']])).toEqual([
      ['/api/subagents', 'ses_7'],
      ['/api/subagents/wait', 'ses_7'],
      ['/api/subagents/wait', 'ses_7'],
    ]);
  });
});

const at = '2026-01-01T00:00:00.000Z';
const registered = {
  ...{ sessionKey: 'cc-1', agentId: 'default', kind: 'external', harness: 'claude-code' },
  ...{ project: null, title: null, parentSessionId: null, rootSessionId: 'cc-1' },
  ...{ depth: 0, createdAt: at, updatedAt: at },
};

test('--agent says whose it is, and a host program asks only for its own', async () => {
  await withFakeServer(syncServer(), async ({ url, seen }) => {
    await cli(['run', 'demo', 'x', '--agent', 'b', '--parent', 'main'], { url });
    expect(seen[0]?.body).toMatchObject({ agentId: 'b' });
    expect(seen[0]?.headers['x-agent-session-id']).toBe('main');
  });
  await withFakeServer(
    (request, response) =>
      request.method === 'PUT' ? answerJson(response, registered) : syncServer()(request, response),
    async ({ url, seen }) => {
      const env = { CLAUDE_CODE_SESSION_ID: 'cc-1' };
      for (const agent of ['b', 'default'])
        await cli(['run', 'demo', 'x', '--agent', agent], { url, env });
      const runs = seen.filter((one) => one.url === '/api/subagents');
      expect(
        runs.map(({ body, headers }) => [body?.agentId, headers['x-agent-session-id']]),
      ).toEqual([
        ['b', undefined],
        ['default', 'cc-1'],
      ]);
    },
  );
});

test('send goes to the session of an invocation, by default without waiting', async () => {
  await withFakeServer(
    (_, response) =>
      answerJson(response, runningRecord({ id: 'sub_2', executionMode: 'ASYNC_POLL' }), 202),
    async ({ url, seen }) => {
      const run = await cli(['send', 'sub_1', 'more'], { url, isTerminal: true });
      expect(run).toMatchObject({ exitCode: 0, out: 'sub_2\n' });
      expect(seen[0]).toMatchObject({
        url: '/api/subagents/sub_1/send',
        body: { prompt: 'more', executionMode: 'ASYNC_POLL' },
      });
    },
  );
});

test.each([
  [404, 'unknown_runner', 3],
  [400, 'parent_required', 2],
  [429, 'capacity', 5],
  [422, 'depth_exceeded', 5],
  [503, 'engine_unavailable', 4],
  [500, 'internal', 1],
])('a refusal with HTTP %d %s exits with %d', async (status, code, exitCode) => {
  await withFakeServer(
    (_, response) => answerProblem(response, status, code, 'Do that.'),
    async ({ url }) => {
      const run = await cli(['run', 'demo', 'x'], { url });
      expect(run).toMatchObject({
        exitCode,
        out: '',
        err: `offshoot: It is ${code}.\n  Do that.\n`,
      });
      const json = await cli(['run', 'demo', 'x', '--json'], { url });
      expect(JSON.parse(json.err)).toEqual({
        error: { code, message: `It is ${code}.`, hint: 'Do that.' },
      });
    },
  );
});
