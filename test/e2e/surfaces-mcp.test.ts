/** An official MCP client and the real `offshoot mcp`: as an external session, and as an agent of ours. */
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BriefRecord } from '../../mcp/brief-record.ts';
import type { Callback } from '../../contract/records.ts';
import { program, release, runners, untilFile, written } from './agents.ts';
import { binFile, cleanEnv } from './commands.ts';
import { startStack, until } from './stack.ts';

interface Host {
  pid: number;
  call(name: string, input: object, meta?: object): Promise<Result>;
}
interface Result {
  isError: boolean;
  text: string;
  record: BriefRecord;
  structured: { done: BriefRecord[]; items: BriefRecord[]; callbacks: Callback[] };
}

let stack: Awaited<ReturnType<typeof startStack>>;
let work: string;
beforeAll(async () => {
  stack = await startStack({ config: { runners } });
  work = mkdtempSync(join(realpathSync(tmpdir()), 'work-'));
}, 60_000);
afterAll(() => stack.stop(), 60_000);

async function withHost(
  env: Record<string, string>,
  use: (host: Host) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binFile, 'mcp'],
    env: cleanEnv({ OFFSHOOT_HOME: stack.home, ...env }),
    cwd: work,
  });
  try {
    await client.connect(transport);
    await use({
      pid: transport.pid!,
      call: async (name, input, meta) => {
        const params = { name, arguments: { ...input }, ...(meta && { _meta: { ...meta } }) };
        const result = await client.callTool(params);
        const [{ text }] = result.content as [{ text: string }];
        const structured = result.structuredContent as Result['structured'] & BriefRecord;
        return { isError: result.isError === true, text, record: structured, structured };
      },
    });
  } finally {
    await client.close();
  }
}

const run = (prompt: string, more = {}) => ({ runnerId: 'sh', prompt, ...more });

test("a host program's session runs sub-agents in each mode and gets their answers", async () => {
  await withHost({ CLAUDE_CODE_SESSION_ID: 'claude-7' }, async ({ call }) => {
    const sync = await call('runSubagent', run('echo at once; pwd'));
    expect(sync.record).toMatchObject({ status: 'completed', parentSessionId: 'claude-7' });
    expect(sync.record.answer?.text).toBe(`at once\n${work}`);
    expect(sync.text).toContain('at once');

    const poll = await call(
      'runSubagent',
      run('sleep 0.3; echo polled', { executionMode: 'ASYNC_POLL' }),
    );
    expect(poll.record).toMatchObject({ isFinal: false, answer: null });
    const { done } = (await call('wait_subagents', { ids: [poll.record.id] })).structured;
    expect(done[0]!.answer?.text).toBe('polled');

    const callback = await call('runSubagent', run('echo called', { mode: 'ASYNC_CALLBACK' }));
    const mail = () => call('get_callbacks', {}).then(({ structured }) => structured.callbacks);
    const [only, ...others] = await until(mail, (callbacks) => callbacks.length > 0);
    expect([only!.invocationId, others]).toEqual([callback.record.id, []]);
    expect(only!.envelope).toContain('\ncalled\n</agent-callback>');
    expect((await call('get_callbacks', { ack: [only!.id] })).structured.callbacks).toEqual([]);

    const { items } = (await call('list_subagents', {})).structured;
    expect(items.map(({ id }) => id)).toEqual(
      [callback, poll, sync].map(({ record }) => record.id),
    );
    const refused = await call('runSubagent', run('echo', { runnerId: 'nobody' }));
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining('there are: demo, sh'),
    ]);
  });
  const tree = await stack.client.call('getTree', { key: 'claude-7' });
  expect(tree).toMatchObject({ kind: 'external', children: [{}, {}, {}] });
});

test('an agent of ours does the same by its token, and is told in its own session', async () => {
  const agent = await stack.start(
    program(async ({ env, note, say, until: there }) => {
      note('token', env['OFFSHOOT_TOKEN']!);
      await there('go');
      say('done');
    }),
    { runnerId: 'js' },
  );
  const token = (await until(
    async () => written(agent, 'token'),
    (text) => text !== null,
  ))!.trim();
  await withHost({ OFFSHOOT_URL: stack.url, OFFSHOOT_TOKEN: token }, async ({ call }) => {
    const sync = await call('runSubagent', run('echo at once'));
    expect(sync.record).toMatchObject({
      parentSessionId: agent.sessionKey,
      answer: { text: 'at once' },
    });
    const poll = await call('runSubagent', run('echo polled', { executionMode: 'ASYNC_POLL' }));
    const { done } = (await call('wait_subagents', { ids: [poll.record.id] })).structured;
    expect(done).toMatchObject([{ parentSessionId: agent.sessionKey, answer: { text: 'polled' } }]);
    const [read1, unread] = [
      await call('runSubagent', run('echo read in time', { executionMode: 'ASYNC_CALLBACK' })),
      await call(
        'runSubagent',
        run('sleep 0.2; echo left for later', { executionMode: 'ASYNC_CALLBACK' }),
      ),
    ];
    const mail = () => call('get_callbacks', {}).then(({ structured }) => structured.callbacks);
    const callbacks = await until(mail, (found) => found.length === 2);
    expect(callbacks.map(({ invocationId }) => invocationId)).toEqual([
      read1.record.id,
      unread.record.id,
    ]);
    await call('get_callbacks', { ack: [callbacks[0]!.id] });
  });
  release(agent, 'go');
  const { result } = await stack.ended(agent.id);
  // What it has acknowledged itself is not told again; the rest is its next turn.
  expect(result!.content).toContain('left for later');
  expect(result!.content).not.toContain('read in time');
  const told = (await stack.transcript(agent.id)).filter(({ role }) => role === 'callback');
  expect(told).toHaveLength(2);
});

test('a long answer is bounded, and read on by its id; a failed one has code and time [leanspec 33]', async () => {
  await withHost({}, async ({ call }) => {
    const lines = 9000;
    const { record, text } = await call('runSubagent', run(`seq -f 'line %05g' ${lines}`));
    expect(text.length).toBeLessThan(20_000);
    expect(record.answer).toMatchObject({ isWhole: false, charsTotal: lines * 11 - 1 });
    expect(record.answer!.text).toMatch(
      /^line 00001\n[\s\S]+ characters left out [\s\S]+line 09000$/,
    );
    let whole = '';
    for (let offset: number | null = 0; offset !== null;) {
      const page: Result = await call('get_subagent', { id: record.id, offset });
      expect(page.text.length).toBeLessThan(20_000);
      whole += page.record.answer!.text;
      offset = page.record.answer!.nextOffset;
    }
    expect(whole.split('\n')).toHaveLength(lines);
    expect(whole.endsWith('line 09000')).toBe(true);

    const failed = await call('runSubagent', run('echo half; echo broken >&2; exit 7'));
    expect(failed.isError).toBe(false);
    expect(failed.record).toMatchObject({
      status: 'failed',
      answer: { text: 'half' },
      durationMs: expect.any(Number),
    });
    expect(failed.text).toContain('exited with code 7: broken');
  });
});

test('when the host dies in mid-call its sub-agent is recorded, goes on, and is found again [leanspec 43]', async () => {
  const env = { CLAUDE_CODE_SESSION_ID: 'claude-8' };
  await withHost(env, async ({ call, pid }) => {
    const lost = call('runSubagent', run(`${untilFile('go')}; echo not lost`)).catch(
      (error: Error) => error,
    );
    const mine = () => stack.client.call('listSubagents', { status: 'running', limit: 1 });
    await until(mine, ({ items }) => items[0]?.parentSessionId === 'claude-8');
    process.kill(pid, 'SIGKILL');
    expect(await lost).toBeInstanceOf(Error);
    writeFileSync(join(work, 'go'), '');
  });
  await withHost(env, async ({ call }) => {
    const [mine] = (await call('list_subagents', {})).structured.items;
    const { done } = (await call('wait_subagents', { ids: [mine!.id] })).structured;
    expect(done[0]!.answer?.text).toBe('not lost');
  });
});

test('the same tool call, sent twice, is one sub-agent [orchestrator 45]', async () => {
  await withHost({ CLAUDE_CODE_SESSION_ID: 'claude-9' }, async ({ call }) => {
    const ids = await Promise.all(
      ['toolu_1', 'toolu_1', 'toolu_2'].map(async (id) => {
        const { record } = await call('runSubagent', run('echo hi'), {
          'claudecode/toolUseId': id,
        });
        return record.id;
      }),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
