/** Whose session a hook is about that names no agent: by any of its keys, and else by who is said to be above it. */
import { expect, test } from '@jest/globals';
import { withHooks, type HookRoom } from './hooks-fixture.ts';

/** `agent/key` of all sessions, in the order in which they came. */
const sessions = (room: HookRoom) =>
  room.store.db
    .all<{ name: string }>(
      "SELECT agent_id || '/' || session_key AS name FROM sessions ORDER BY id",
    )
    .map(({ name }) => name);
const know = async (room: HookRoom, ...names: [agentId: string, key: string][]) => {
  for (const [agentId, key] of names) await room.prompt(key, 'first', { agentId });
};
const start = (room: HookRoom, more: object) =>
  room.ask('hookSessionStart', { harness: 'openclaw', ...more } as never);
const startSub = (room: HookRoom, more: object) =>
  room.ask('hookSubagentStart', { harness: 'claude-code', harnessAgentId: 'a1', ...more } as never);

test.each([
  ['its session key', { sessionKey: 's1' }],
  ['its session key as some programs write it', { sessionKey: ' session:session:s1 ' }],
  ['its session id', { sessionId: 'session:s1' }],
  ['its session id beside a key that is new', { sessionKey: 'new', sessionId: 's1' }],
  ['the key of its parent', { sessionKey: 'new', parentSessionKey: 'session:s1' }],
  ['the id of its parent, by another name', { sessionKey: 'new', parentID: 's1' }],
])('the agent that knows %s has it', (_, hook) =>
  withHooks(async (room) => {
    await know(room, ['bob', 's1']);
    await start(room, hook);
    expect(sessions(room).every((name) => name.startsWith('bob/'))).toBe(true);
  }),
);

test('a child that names its parent belongs to the agent of that and stands below it', () =>
  withHooks(async (room) => {
    await know(room, ['bob', 'root']);
    await start(room, { sessionKey: 'child', parentSessionKey: 'root' });
    const child = await room.ask('getSession', { key: 'child' });
    expect(child).toMatchObject({ agentId: 'bob', parentSessionId: 'root', rule: 'explicit' });
    // What says more than who is above it goes before that: who knows it, and what its own key says.
    await know(room, ['alice', 'hers']);
    await start(room, { sessionKey: 'hers', parentSessionKey: 'root' });
    await start(room, { sessionKey: 'agent:carol:main', parentSessionKey: 'root' });
    await start(room, { sessionKey: 'of nobody', parentSessionKey: 'unknown' });
    await start(room, { sessionKey: 'of a key', parentSessionKey: 'agent:dave:main' });
    expect(sessions(room)).toEqual([
      ...['bob/root', 'bob/child', 'alice/hers'],
      ...['carol/agent:carol:main', 'default/of nobody', 'dave/of a key'],
    ]);
  }));

test("a sub-agent's own session says whose it is, also where its root is new", () =>
  withHooks(async (room) => {
    await know(room, ['bob', 'own'], ['carol', 'a3']);
    await startSub(room, { sessionKey: 'root', childSessionKey: 'own' });
    await startSub(room, { sessionKey: 'r3', harness: 'copilot', harnessAgentId: 'a3' });
    await startSub(room, { sessionKey: 'r4', harness: 'copilot', parentHarnessAgentId: 'a3' });
    expect(sessions(room).slice(2)).toEqual([...['bob/root', 'carol/r3', 'carol/r4'], 'carol/a1']);
  }));

test('of several that have its root, it is of the one that has the sub-agent', () =>
  withHooks(async (room) => {
    await know(room, ['alice', 'root'], ['bob', 'root']);
    await startSub(room, { sessionKey: 'root', agentId: 'bob' });
    const stop = { harness: 'claude-code', sessionKey: 'root', harnessAgentId: 'a1' };
    expect(await room.ask('hookSubagentStop', stop)).toMatchObject({ ended: true });
    expect(sessions(room)).toEqual(['alice/root', 'bob/root', 'bob/root:a1']);
  }));

test.each([
  ['two have its session', { sessionKey: 's1' }, 's1: alice, bob'],
  ['its two keys are of two', { sessionKey: 's2', sessionId: 's3' }, 's2 or s3: alice, bob'],
  ['two have its parent', { sessionKey: 'new', parentSessionKey: 's1' }, 's1: alice, bob'],
  [
    'its key names one of two, and that one has another',
    { sessionKey: 'agent:bob:main', sessionId: 's3' },
    'agent:bob:main or s3: alice, bob',
  ],
])('where %s, nobody is meant, and who may be is said', (_, hook, who) =>
  withHooks(async (room) => {
    await know(room, ['alice', 's1'], ['bob', 's1'], ['alice', 's2'], ['bob', 's3']);
    await know(room, ['alice', 'agent:bob:main']);
    const before = sessions(room);
    await expect(start(room, hook)).rejects.toMatchObject({
      code: 'parent_conflict',
      message: `several agents have a session ${who}`,
      hint: expect.stringContaining('agentId'),
    });
    expect(sessions(room)).toEqual(before);
    await start(room, { ...hook, agentId: 'bob' });
  }),
);

test.each([
  { sessionKey: 'agent:bob:main' },
  { sessionKey: 'session:agent:bob:subagent:u1:subagent:u2' },
  { sessionKey: 'agent: bob :main' },
  { sessionKey: 'plain', sessionId: 'agent:bob:main' },
  { sessionKey: 'plain', parentSessionKey: 'agent:bob:subagent:u1' },
])('the agent that a key names has it where nobody knows one: %j', (hook) =>
  withHooks(async (room) => {
    await start(room, hook);
    expect(room.store.db.all('SELECT DISTINCT agent_id AS id FROM sessions')).toEqual([
      { id: 'bob' },
    ]);
  }),
);

test.each([
  'agent:..:main',
  'agent:.:main',
  'agent: :main',
  'agent::main',
  'agent:bob',
  'agents:bob:x',
])('a key with no name of an agent in it names none: %s', (sessionKey) =>
  withHooks(async (room) => {
    await start(room, { sessionKey });
    expect(sessions(room)).toEqual([`default/${sessionKey}`]);
    const { hits } = await room.ask('searchSessions', { query: 'x', sessionKey });
    expect(hits).toEqual([]);
    expect(room.store.db.all('SELECT id FROM agents')).toEqual([{ id: 'default' }]);
  }),
);
