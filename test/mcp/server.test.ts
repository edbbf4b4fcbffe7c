import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { startMcpServer } from '../../mcp/server.ts';
import { fakeApi, record, tokens } from '../api/api-fixture.ts';
import { nobody, withMcp, type Answer } from './mcp-fixture.ts';

const task = { runnerId: 'demo', prompt: 'x' };
const runner = { kind: 'command', command: 'x', turns: true, onLost: 'fail', reason: null };

/** A SYNC call that the server holds until the caller has gone. */
const hanging: Answer = (name, caller) =>
  name === 'runSubagent'
    ? new Promise((resolve) => {
        caller.gone.addEventListener('abort', () => resolve(record()));
      })
    : { runners: [] };

test('the runners that can be named now stand where a model chooses one', () =>
  withMcp(
    {
      answer: () => ({
        runners: [
          { ...runner, id: 'lint', available: true },
          { ...runner, id: 'gone', available: false },
          { ...runner, id: 'demo', available: true },
        ],
      }),
    },
    async ({ client }) => {
      const { tools } = await client.listTools();
      const described = tools.find((tool) => tool.name === 'runSubagent')?.description;
      expect(described).toMatch(/Runners that can be named now: demo, lint\.$/);
    },
  ));

test('a host that asked for progress gets it while it waits', async () => {
  await withMcp({ answer: hanging, progressMs: 20 }, async ({ client }) => {
    const seen: number[] = [];
    const stop = new AbortController();
    const call = client.callTool({ name: 'runSubagent', arguments: task }, undefined, {
      signal: stop.signal,
      onprogress: ({ progress }) => seen.push(progress),
    });
    call.catch(() => undefined);
    for (let waited = 0; seen.length < 3 && waited < 10_000; waited += 20) await sleep(20);
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
  });
});

test('a host that takes its call back ends the wait and cancels nothing', () =>
  withMcp({ answer: hanging }, async ({ client, asked }) => {
    const stop = new AbortController();
    const call = client.callTool({ name: 'runSubagent', arguments: task }, undefined, {
      signal: stop.signal,
    });
    call.catch(() => undefined);
    await sleep(50);
    expect(asked()[0]?.caller.gone.aborted).toBe(false);
    stop.abort();
    await expect(call).rejects.toThrow();
    await sleep(50);
    expect(asked().map((one) => one.name)).toEqual(['runSubagent']);
    expect(asked()[0]?.caller.gone.aborted).toBe(true);
  }));

test('over stdio it speaks the protocol and nothing else, and ends with its input', async () => {
  const { stdin, stdout, ended, lines } = overStdio(fakeApi({ run: () => record() }));
  stdin.write(`${JSON.stringify(initialize)}\nthis is not JSON\n`);
  stdin.write(
    `${JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'get_subagent', arguments: { id: 'sub_1' } },
    })}\n`,
  );
  for (let tries = 0; lines().length < 2 && tries < 100; tries += 1) await sleep(10);
  stdin.end();
  await ended;
  expect(lines().map((line) => JSON.parse(line) as object)).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'offshoot', version: '1.2.3' } } },
    { id: 2, result: { structuredContent: { id: 'sub_1' } } },
  ]);
  expect(stdout.destroyed).toBe(false);
});

test('it ends also while a call is waiting, and does not cancel it', async () => {
  const api = fakeApi({ run: hanging });
  const { stdin, ended } = overStdio(api);
  stdin.write(`${JSON.stringify(initialize)}\n`);
  stdin.write(
    `${JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'runSubagent', arguments: task },
    })}\n`,
  );
  for (let tries = 0; api.asked.length === 0 && tries < 100; tries += 1) await sleep(10);
  stdin.end();
  await ended;
  await sleep(20);
  expect(api.asked.map((one) => [one.name, one.caller.gone.aborted])).toEqual([
    ['runSubagent', true],
  ]);
});

test('without a server the tools are listed, and a call says what to start', async () => {
  const connect = () => {
    throw new AppError('server_unavailable', 'no server is running');
  };
  const { stdin, ended, lines } = overStdio({ connect });
  stdin.write(`${JSON.stringify(initialize)}\n`);
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
  stdin.write(
    `${JSON.stringify({
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'runSubagent', arguments: task },
    })}\n`,
  );
  for (let tries = 0; lines().length < 3 && tries < 100; tries += 1) await sleep(10);
  stdin.end();
  await ended;
  const text = lines().join('\n');
  expect(text).toContain('"name":"runSubagent"');
  expect(text).toContain('No answer (server_unavailable)');
  expect(text).toContain('offshoot up');
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

function overStdio(api: Pick<ReturnType<typeof fakeApi>, 'app'> | { connect: () => never }) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = '';
  stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const ended = startMcpServer({
    connect: () =>
      'connect' in api
        ? api.connect()
        : createClient({
            url: 'http://localhost:8464',
            token: tokens.admin,
            fetch: async (url, init) => api.app.request(url as string, init),
            retryMs: 0,
          }),
    environment: nobody,
    cwd: '/where/the/host/works',
    version: '1.2.3',
    stdin,
    stdout,
  });
  return { stdin, stdout, ended, lines: () => written.split('\n').filter(Boolean) };
}
