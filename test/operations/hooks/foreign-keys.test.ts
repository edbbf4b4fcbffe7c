/** A key that names an agent (`agent:bob:…`) is that agent's: nobody bound to another makes a session under it. */
import { expect, test } from '@jest/globals';
import { callerAs, refusal } from '../operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

const key = 'agent:bob:main';

const aliceToken = callerAs({
  claims: {
    role: 'operator',
    agentId: 'alice',
    project: null,
    permissions: ['remember', 'recall'],
    expiresAt: '2999-01-01T00:00:00.000Z',
  },
});

const aliceChild = async (room: HookRoom) =>
  room.child((await room.start({ agentId: 'alice' })).id);

test.each([
  ['a token for one agent', async () => aliceToken],
  ["a sub-agent's token", aliceChild],
])("%s makes no session under another agent's key, whichever field holds it", (_, callerIn) =>
  withHooks(async (room) => {
    const me = await callerIn(room);
    const before = room.count('sessions');
    const start = { harness: 'openclaw', sessionKey: 'mine', harnessAgentId: 'a1' };
    const calls = [
      ...hookNames.map(
        (name) => () => room.ask(name, { ...everyHook[name], sessionKey: key } as never, me),
      ),
      () => room.ask('hookSessionStart', { ...start, sessionKey: `session:${key}` }, me),
      () => room.ask('hookSubagentStart', { ...start, childSessionKey: key }, me),
      () => room.ask('hookSubagentStart', { ...start, sessionKey: key, childSessionKey: 'c' }, me),
      () =>
        room.ask('hookSubagentStart', { ...start, harness: 'copilot', harnessAgentId: key }, me),
      () => room.ask('registerSession', { key }, me),
      () => room.start({ parentSessionId: key }, me),
    ];
    for (const call of calls) expect(await refusal(call())).toBe('forbidden');
    if (me === aliceToken) {
      expect(await refusal(room.start({}, { ...me, parentSessionId: key }))).toBe('forbidden');
    }
    expect(room.count('sessions')).toBe(before);
    if (me === aliceToken) {
      await expect(room.ask('registerSession', { key }, me)).rejects.toThrow(
        `agent bob, which ${key} names, is outside of what this token may touch`,
      );
    }
    // What it names without making it is nothing to refuse, and its own agent's keys are its own.
    await room.ask('hookSessionStart', { ...start, parentSessionKey: key }, me);
    await room.ask('hookSessionStart', { ...start, sessionKey: 'agent:alice:main' }, me);
    expect(room.session('agent:alice:main', 'alice')).toBeDefined();

    await room.prompt(key, 'a word of his');
    expect(room.said(key, 'bob')).toEqual(['user: a word of his']);
    expect(room.session(key, 'alice')).toBeUndefined();
  }),
);

test('a key that its agent has all the same, by the administrator, is reported further', () =>
  withHooks(async (room) => {
    await room.prompt(key, 'hers', { agentId: 'alice' });
    const hook = { harness: 'claude-code', sessionKey: key, userMessage: 'more' };
    await room.ask('hookUserPromptSubmit', hook, aliceToken);
    await room.ask('registerSession', { key, title: 'x' }, aliceToken);
    // One agent alone knows it: without a name it stays there.
    await room.prompt(key, 'and more');
    expect(room.said(key, 'alice')).toEqual(['user: hers', 'user: more', 'user: and more']);
  }));

test('of several agents that have a key the one that it names is meant', () =>
  withHooks(async (room) => {
    for (const agentId of ['alice', 'bob']) await room.prompt(key, 'first', { agentId });
    await room.prompt(key, 'his');
    expect(room.said(key, 'bob')).toEqual(['user: first', 'user: his']);
    expect(room.said(key, 'alice')).toEqual(['user: first']);
  }));

test('where several agents have a key and the one that it names has not, nobody is meant', () =>
  withHooks(async (room) => {
    for (const agentId of ['alice', 'carol']) await room.prompt(key, 'first', { agentId });
    expect(await refusal(room.prompt(key, 'whose'))).toBe('parent_conflict');
    expect(room.count('sessions')).toBe(2);
  }));
