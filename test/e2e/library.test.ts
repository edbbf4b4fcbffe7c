/** What `import 'offshoot'` gives, and lists of many. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SubAgentSessionManager } from '../../client/index.ts';
import { openStore } from '../../store/index.ts';
import { program, runners } from './agents.ts';
import { cleanEnv } from './commands.ts';
import { withLoneServer } from './lone-server.ts';
import { startStack } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let manager: SubAgentSessionManager;
beforeAll(async () => {
  stack = await startStack({ config: { runners } });
  manager = new SubAgentSessionManager({ home: stack.home, parentSessionId: null });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

test('invoke answers with a session whose dates are dates', async () => {
  const before = new Date();
  const session = await manager.invoke('sh', 'sleep 0.1; echo ok', {
    workspacePath: stack.home,
    specId: 's-1',
  });
  expect(session).toMatchObject({
    runnerId: 'sh',
    status: 'completed',
    context: { workspacePath: stack.home, specId: 's-1', prompt: 'sleep 0.1; echo ok' },
    result: { content: 'ok', durationMs: expect.any(Number) },
  });
  const { createdAt, startedAt, completedAt } = session;
  const times = [before, createdAt, startedAt!, completedAt!, new Date()];
  expect(times.every((time) => time instanceof Date)).toBe(true);
  expect(times.map(Number)).toEqual(times.map(Number).toSorted((a, b) => a - b));
  expect(await manager.get(session.id)).toEqual(session);
});

test('what is not there is null, not an exception [leanspec 8]', async () => {
  expect(await manager.get('sub_nobody')).toBeNull();
});

test('a session that has not ended has no end, and is waited for, followed, sent to and cancelled by id', async () => {
  const running = await manager.invoke(
    'sh',
    'echo one; sleep 0.2; echo two',
    {},
    { executionMode: 'ASYNC_POLL' },
  );
  expect(running.completedAt).toBeUndefined();
  expect(running.result).toBeUndefined();
  const said: string[] = [];
  for await (const event of manager.events(running.id)) {
    if (event.event === 'turn' && event.data.role === 'stdout') said.push(event.data.text);
  }
  expect(said.join('')).toBe('one\ntwo\n');
  expect((await manager.wait(running.id)).status).toBe('completed');
  const sent = await manager.send(running.id, 'more', { executionMode: 'SYNC' });
  expect(sent.result?.content).toBe('more');
  const turns = [];
  for await (const turn of manager.transcript(running.id)) turns.push(turn);
  expect(turns.at(-1)!.at).toBeInstanceOf(Date);
  const long = await manager.invoke('sh', 'sleep 60', {}, { executionMode: 'ASYNC_POLL' });
  await manager.cancel(long.id, 'enough');
  expect(await manager.wait(long.id)).toMatchObject({ status: 'cancelled', error: 'enough' });
});

test('the history of a spec is what was run for it, children included, newest first [leanspec 11]', async () => {
  const parent = program(async ({ spawn, say }) => {
    await spawn('SYNC', 'echo for it too', { context: { specId: 'spec-2' } });
    await spawn('SYNC', 'echo for another', { context: { specId: 'spec-3' } });
    say('done');
  });
  const first = await manager.invoke('js', parent, { specId: 'spec-2' });
  const second = await manager.invoke('sh', 'exit 1', { specId: 'spec-2' });
  const history = await manager.getSpecHistory('spec-2');
  expect(history.map(({ id, depth }) => [id, depth])).toEqual([
    [second.id, 0],
    [expect.any(String), 1],
    [first.id, 0],
  ]);
  expect(history[1]).toMatchObject({
    parentSessionId: first.sessionKey,
    result: { content: 'for it too' },
  });
  expect((await manager.list({ specId: 'spec-2', status: 'failed' })).map(({ id }) => id)).toEqual([
    second.id,
  ]);
});

test("a program that imports 'offshoot' runs a sub-agent", async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const script = `
    const { SubAgentSessionManager } = await import('offshoot');
    const { status, result, createdAt } = await new SubAgentSessionManager().invoke('sh', 'echo hi');
    console.log(JSON.stringify({ status, content: result.content, isDate: createdAt instanceof Date }));`;
  const env = cleanEnv({ OFFSHOOT_HOME: stack.home });
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
    cwd: root,
  });
  expect(JSON.parse((await node).stdout)).toEqual({
    status: 'completed',
    content: 'hi',
    isDate: true,
  });
});

test('ten thousand are listed newest first, by runner, status and time, and pages stay in place [leanspec 11]', async () => {
  await withLoneServer({ config: { runners }, prepare: fill }, async ({ client, home }) => {
    const many = new SubAgentSessionManager({ home, parentSessionId: null });
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: { id: string }[]; nextCursor: string | null } = await client.call(
        'listSubagents',
        { limit: 500, ...(cursor === null ? {} : { cursor }) },
      );
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      // What comes in meanwhile belongs to the pages before.
      await client.call('runSubagent', {
        runnerId: 'sh',
        prompt: 'echo',
        executionMode: 'ASYNC_POLL',
      });
    } while (cursor !== null);
    expect(ids).toEqual(Array.from({ length: 10_000 }, (_, n) => `sub_${10_000 - n}`));

    const boundary = new Date(from + 5000 * 1000);
    const list = async (filter: Parameters<typeof many.list>[0]) =>
      (await many.list(filter)).map(({ id }) => id).filter((id) => /^sub_\d{1,5}$/.test(id));
    expect((await list({ since: boundary })).at(-1)).toBe('sub_5000');
    expect((await list({ until: boundary }))[0]).toBe('sub_4999');
    const some = {
      runnerId: 'once',
      status: 'failed',
      since: boundary,
      until: new Date(from + 5030 * 1000),
    } as const;
    expect(await list(some)).toEqual(['sub_5028', 'sub_5022', 'sub_5016', 'sub_5010', 'sub_5004']);
    expect(await list({ limit: 3 })).toEqual([]);
    expect(await many.list({ status: 'completed', limit: 2 })).toMatchObject([
      { id: 'sub_10000' },
      { id: 'sub_9998' },
    ]);
  });
});

const from = Date.parse('2026-01-01T00:00:00.000Z');

/** Rows one second apart: every third failed, every second of another runner. */
async function fill(home: string): Promise<void> {
  const store = openStore(`${home}/main.db`, { checkpoints: false });
  await store.write(({ db, now }) => {
    db.run(`INSERT INTO agents (id, name) VALUES ('default', 'default')`);
    db.run(
      `INSERT INTO sessions (agent_id, session_key, kind, created_at, updated_at)
       VALUES ('default', 'ses_old', 'managed', :now, :now)`,
      { now },
    );
    for (let n = 1; n <= 10_000; n += 1) {
      const at = new Date(from + n * 1000).toISOString();
      db.run(
        `INSERT INTO subagent_sessions (
           id, runner_id, status, created_at, completed_at, workspace_path, prompt, ordinal, agent_id,
           session_key, session_id, request_hash, execution_mode, root_session_id, depth,
           runner_json, max_depth, max_children, deadline_at, engine_state)
         VALUES (:id, :runner, :status, :at, :at, '/tmp', 'old', :n, 'default',
           'ses_old', 1, '', 'SYNC', 'ses_old', 0, '{}', 5, 50, :at, 'closed')`,
        {
          id: `sub_${n}`,
          runner: n % 2 === 0 ? 'once' : 'sh',
          status: n % 3 === 0 ? 'failed' : 'completed',
          at,
          n,
        },
      );
    }
  });
  await store.close();
}
