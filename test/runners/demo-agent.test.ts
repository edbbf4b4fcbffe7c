/** The demo agent as a process, run as any other agent is, against a small server of this test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { renderCallback, renderCallbackTurn } from '../../domain/envelope.ts';
import { overMcp } from '../../runners/demo-agent/over-mcp.ts';
import type { Callback, SubAgentRecord } from '../../contract/records.ts';
import type { RunSpec } from '../../contract/run.ts';
import { bundled } from '../support/bundled.ts';
import { agentFile, run, specOf, withRoom } from './run-fixture.ts';
import { demoRunner } from '../../runners/demo.ts';

interface Seen {
  path: string;
  key: string | undefined;
  authorization: string | undefined;
  body: Record<string, unknown>;
}

let server: Server;
let seen: Seen[];
let isBroken: boolean;
let received: Callback[];

/** Each prompt is its child's answer; `refuse` is refused, `bad` fails. */
beforeEach(async () => {
  seen = [];
  isBroken = false;
  received = [];
  server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    // Only the callbacks of the session are read: one was handed over in an earlier turn.
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ callbacks: received, remaining: 0 }));
    return;
  }
  const body = (await json(request)) as Record<string, unknown>;
  const key = request.headers['idempotency-key'] as string | undefined;
  seen.push({ path: request.url!, key, authorization: request.headers.authorization, body });
  if (isBroken) {
    isBroken = false;
    request.socket.destroy();
    return;
  }
  if (body['prompt'] === 'refuse') {
    const problem = { type: 'about:blank', title: 'No', status: 409, code: 'depth_exceeded' };
    response.writeHead(409, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ ...problem, detail: 'too deep', hint: null }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (request.url === '/api/subagents/wait') {
    const ids = body['ids'] as string[];
    const ended = body['until'] === 'any' ? ids.slice(-1) : ids.toReversed();
    const open = ids.filter((id) => !ended.includes(id));
    response.end(JSON.stringify({ done: ended.map(record), open: open.map(record), more: [] }));
    return;
  }
  const id = `sub_${String(body['title'] ?? body['prompt'])}`;
  response.end(JSON.stringify({ ...record(id), executionMode: body['executionMode'] }));
}

function record(id: string): SubAgentRecord {
  const name = id.slice('sub_'.length);
  const isBad = name === 'bad';
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...{ id, title: name, runnerId: 'demo', agentId: 'default', sessionKey: `sub:${id}` },
    ...{ createdAt: at, startedAt: at, completedAt: at, executionMode: 'SYNC', depth: 1 },
    context: { workspacePath: '/w', specId: null, prompt: 'x', files: null },
    status: isBad ? 'failed' : 'completed',
    error: isBad ? 'exited with code 1' : null,
    errorCode: isBad ? 'exit_nonzero' : null,
    ...{ errorHint: null, pendingReason: null, parentSessionId: 'p', rootSessionId: 'r' },
    ...{ detached: false, workflowId: `subagent/${id}`, temporalUrl: null },
    result: isBad ? null : { content: `answer of ${name}`, tokenUsage: null, durationMs: 1 },
  };
}

const source = fileURLToPath(new URL('../../runners/demo-agent/main.ts', import.meta.url));
let entry = '';

function ask(prompt: string, spec: Partial<RunSpec> = {}) {
  const runner = { ...demoRunner(entry), timeoutSeconds: 20 };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return withRoom((room) => run(room, specOf(room, runner, { prompt, url, ...spec })));
}

/** Begun first: they do nothing but wait, and the others run meanwhile. */
let hanging: Promise<Awaited<ReturnType<typeof run>>[]>;
beforeAll(async () => {
  // From source, so that the test needs no build.
  entry = await bundled(source);
  const untilItsTurnEnds = async (prompt: string) =>
    withRoom((room) => {
      // Long enough for the program to be up on a busy machine: before that SIGTERM ends it, deaf or not.
      const runner = { ...demoRunner(entry), timeoutSeconds: 8 };
      return run(room, specOf(room, runner, { prompt }));
    });
  hanging = Promise.all(['hang', 'ignore-term; hang'].map(untilItsTurnEnds));
});
afterAll(() => hanging);

test('talk is answered, a program is followed, and progress is no part of the answer', async () => {
  expect((await ask('Hello, who are you?')).outcome.content).toBe('You said: Hello, who are you?');
  const { outcome, text } = await ask('print working; say one; sleep 0.01; say {two; three}');
  expect(outcome).toMatchObject({ kind: 'succeeded', content: 'one\ntwo; three' });
  expect(text('stderr')).toContain('working\n');
  expect((await ask('sleep 0')).outcome.content).toBe('Done.');
});

test('it fails, crashes and floods as told', async () => {
  expect((await ask('say half; fail out of ideas; say never')).outcome).toMatchObject({
    kind: 'failed',
    error: 'exited with code 1: out of ideas',
    content: 'half',
  });
  expect((await ask('crash')).outcome).toMatchObject({ errorCode: 'killed_by_signal' });
  expect((await ask('flood 3; say end')).outcome.content).toBe(
    'line 1 of 3\nline 2 of 3\nline 3 of 3\nend',
  );
  expect((await ask('say a; nonsense')).outcome).toMatchObject({
    errorCode: 'exit_nonzero',
    error: 'exited with code 1: not an instruction: nonsense',
  });
});

test('hang ends with its turn, and ignore-term only by force', async () => {
  const [hung, deaf] = await hanging;
  expect(hung!.outcome).toMatchObject({ kind: 'timed_out', signal: 'SIGTERM' });
  expect(deaf!.outcome).toMatchObject({ kind: 'timed_out', signal: 'SIGKILL' });
});

test('children in every mode, a refused one, and what becomes of their answers', async () => {
  const { outcome } = await ask(
    [
      'spawn SYNC as a: { say x }',
      'spawn poll as b: do b; spawn poll as bad runner other: do c',
      'spawn callback as d: do d',
      'spawn SYNC as e: refuse',
      'wait any; wait',
    ].join('\n'),
  );
  expect(outcome.content!.split('\n')).toEqual([
    'a completed: answer of a',
    'b started (ASYNC_POLL)',
    'bad started (ASYNC_POLL)',
    'd started (ASYNC_CALLBACK)',
    'e refused: depth_exceeded: too deep',
    'bad failed (exit_nonzero): exited with code 1',
    'b completed: answer of b',
  ]);
  expect(seen.map((request) => request.authorization)).toEqual(Array(7).fill('Bearer off_token'));
  expect(seen.slice(0, 5).map((request) => request.key)).toEqual(
    [0, 1, 2, 3, 4].map((index) => `demo/sub_1/${index}`),
  );
  expect(seen[0]!.body).toMatchObject({
    runnerId: 'demo',
    executionMode: 'SYNC',
    prompt: 'say x',
    title: 'a',
  });
  expect(seen[2]!.body).toMatchObject({ runnerId: 'other', executionMode: 'ASYNC_POLL' });
});

test('a connection that breaks is tried again with the same key', async () => {
  isBroken = true;
  const { outcome } = await ask('spawn SYNC as a: x');
  expect(outcome.content).toBe('a completed: answer of a');
  expect(seen.map((request) => request.key)).toEqual(['demo/sub_1/0', 'demo/sub_1/0']);
});

test('in a later turn all callbacks so far are told, one line each, and a message is followed', async () => {
  const ended = {
    ...{ callbackId: 'cb_1', invocationId: 'sub_9', sessionKey: 's', runnerId: 'demo' },
    ...{ title: 'child', status: 'completed' as const, durationMs: 5, tokenUsage: null },
    ...{ content: 'grandchild completed: <deep>\nsecond line', error: null, errorCode: null },
  };
  const envelopes = [renderCallback(ended), renderCallback({ ...ended, title: null })];
  received = envelopes.map((envelope, index) => ({
    ...{ id: `cb_${index}`, invocationId: `sub_${index}`, status: 'completed', state: 'delivered' },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', envelope },
  }));
  const turn = renderCallbackTurn(envelopes.slice(1));
  expect((await ask(turn, { turn: 2 })).outcome.content).toBe(
    [
      'child completed: grandchild completed: <deep> | second line',
      'sub_9 completed: grandchild completed: <deep> | second line',
    ].join('\n'),
  );
  expect((await ask('say more', { turn: 2 })).outcome.content).toBe('more');
});

test('over MCP a child is asked for by a tool call that is named by its key', async () => {
  const { run: runOverMcp } = overMcp({
    command: process.execPath,
    args: [agentFile('mcp-server'), 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', AGENT_SESSION_ID: 'sub:sub_1' },
  });
  const request = { runnerId: 'demo', prompt: 'say x', executionMode: 'SYNC' as const, title: 'a' };
  expect(await runOverMcp(request, 'demo/sub_1/0')).toEqual({
    id: 'sub_a',
    title: 'a',
    status: 'completed',
    answer: 'say x for sub:sub_1 by demo/sub_1/0',
    error: null,
    errorCode: null,
  });
  await expect(runOverMcp({ ...request, prompt: 'refuse' }, 'k')).rejects.toThrow('too deep');
});
