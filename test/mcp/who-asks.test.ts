/** Who is named as parent: the token, then AGENT_SESSION_ID, then the host's own session. */
import { expect, test } from '@jest/globals';
import type { AskerEnvironment } from '../../client/index.ts';
import { record, tokens } from '../api/api-fixture.ts';
import { nobody, withMcp } from './mcp-fixture.ts';

const task = { runnerId: 'demo', prompt: 'x' };
const claude = { harness: 'claude-code', sessionKey: 'claude-1' };
const codexMeta = { callId: 'call_1', threadId: 'thread-1', sessionId: 'codex-1' };

async function parentsOf(environment: AskerEnvironment, meta?: object) {
  let seen: { name: string; role: string; parent: string | null; input: object }[] = [];
  await withMcp({ environment }, async ({ call, asked }) => {
    const result = await call('runSubagent', task, meta);
    expect(result.isError).toBeFalsy();
    seen = asked().map(({ name, caller, input }) => ({
      name,
      role: caller.claims.role,
      parent: caller.parentSessionId,
      input,
    }));
  });
  return seen;
}

test("a child's token says it alone, whatever else is in its environment", async () => {
  const environment = { token: tokens.child, parentSessionId: 'own', harnessSession: claude };
  expect(await parentsOf(environment, codexMeta)).toMatchObject([
    { name: 'runSubagent', role: 'child', parent: null },
  ]);
});

test('AGENT_SESSION_ID beats the session of the host', async () => {
  const environment = { ...nobody, parentSessionId: 'own', harnessSession: claude };
  expect(await parentsOf(environment, codexMeta)).toMatchObject([
    { name: 'runSubagent', role: 'admin', parent: 'own' },
  ]);
});

test("an administrator's token in the environment does not say who asks", async () => {
  const environment = { token: tokens.admin, parentSessionId: 'own', harnessSession: null };
  expect(await parentsOf(environment)).toMatchObject([{ role: 'admin', parent: 'own' }]);
});

test('a Claude Code session is registered before it is named', async () => {
  const seen = await parentsOf({ ...nobody, harnessSession: claude });
  expect(seen).toMatchObject([
    {
      name: 'registerSession',
      input: { key: 'claude-1', harness: 'claude-code', projectIfNone: '/where/the/host/works' },
    },
    { name: 'runSubagent', parent: 'claude-1' },
  ]);
});

test('a Codex session is known by the call itself', async () => {
  expect(await parentsOf(nobody, codexMeta)).toMatchObject([
    { name: 'registerSession', input: { key: 'codex-1', harness: 'codex' } },
    { name: 'runSubagent', parent: 'codex-1' },
  ]);
});

test('two Codex sessions over one server are told apart', () =>
  withMcp({}, async ({ call, asked }) => {
    const keys = ['a', 'b', 'a', 'b'];
    await Promise.all(
      keys.map((key) =>
        call('runSubagent', { ...task, prompt: key }, { threadId: key, sessionId: key }),
      ),
    );
    for (const one of asked().filter(({ name }) => name === 'runSubagent')) {
      expect(one.caller.parentSessionId).toBe(one.input['prompt']);
    }
  }));

test('nothing known is nobody: a root', async () => {
  expect(await parentsOf(nobody)).toMatchObject([{ name: 'runSubagent', parent: null }]);
  expect(await parentsOf(nobody, { callId: 7, threadId: {} })).toMatchObject([{ parent: null }]);
});

test('a child that was given its token alone still finds its own mailbox', () =>
  withMcp(
    {
      environment: { ...nobody, token: tokens.child },
      answer: (name) =>
        name === 'getSubagent'
          ? record({ sessionKey: 'own-session' })
          : { callbacks: [], remaining: 0 },
    },
    async ({ call, asked }) => {
      const result = await call('get_callbacks');
      expect(result.text).toContain('No callbacks.');
      expect(asked().map((one) => one.input)).toMatchObject([
        { id: 'sub_parent' },
        { key: 'own-session' },
      ]);
    },
  ));
