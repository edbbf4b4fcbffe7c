/** An agent has its row from when it is first heard of, by whatever names it; a policy that it has is kept. */
import { expect, test } from '@jest/globals';
import { callerAs, type Room } from './operations-fixture.ts';
import { everyHook, hookNames, withHooks, type HookRoom } from './hooks/hooks-fixture.ts';
import { scoped } from './scoped-caller.ts';

const head = (agentId: string) => ({
  ...{ offshoot: 'session', version: 1, sessionKey: 'of bob', agentId },
  ...{ harness: null, project: null, title: null, order: null },
});
const withoutKey = (name: (typeof hookNames)[number]) => {
  const { sessionKey: _, ...hook } = everyHook[name] as { sessionKey: string };
  return hook;
};

const ways: [string, (room: Room, agentId: string) => Promise<unknown>][] = [
  ...hookNames.map((name): (typeof ways)[number] => [
    name,
    (room, agentId) => room.ask(name, { ...everyHook[name], agentId } as never),
  ]),
  ...hookNames
    .filter((name) => name !== 'hookSessionCheckpointExtract')
    .map((name): (typeof ways)[number] => [
      `${name} without a session`,
      (room, agentId) => room.ask(name, { ...withoutKey(name), agentId } as never),
    ]),
  [
    'a hook with a token of its own, and no session',
    (room, agentId) => room.ask('hookStop', { harness: 'x' }, scoped(agentId)),
  ],
  [
    'the key of a hook that comes late',
    (room, agentId) =>
      room.ask(
        'hookStop',
        { harness: 'x', sessionKey: `agent:${agentId}:main`, at: '2026-01-01T00:00:00Z' },
        callerAs({ claims: { role: 'admin' }, isLateHook: true }),
      ),
  ],
  ['a token', (room, agentId) => room.ask('createToken', { role: 'readonly', agentId })],
  ['a session', (room, agentId) => room.ask('registerSession', { key: 'of bob', agentId })],
  ['a sub-agent', (room, agentId) => room.start({ agentId })],
  ['an entity', (room, agentId) => room.ask('putEntity', { entity: 'x', agentId })],
  [
    'an import',
    (room, agentId) => room.ask('importSession', { jsonl: JSON.stringify(head(agentId)) }),
  ],
  [
    'an import for it',
    (room, agentId) => room.ask('importSession', { jsonl: JSON.stringify(head('carol')), agentId }),
  ],
  ['its name', (room, agentId) => room.ask('putAgent', { id: agentId, name: agentId })],
];

const agents = ({ store }: HookRoom) =>
  store.db.all(`SELECT id, name, read_policy AS policy FROM agents
    WHERE id IN ('alice', 'bob') ORDER BY id`);

test.each(ways)('by %s', (by, meet) =>
  withHooks(async (room) => {
    await room.ask('putAgent', { id: 'alice', name: 'Alice', readPolicy: 'isolated' });
    const alice = { id: 'alice', name: 'Alice', policy: 'isolated' };
    if (by !== 'its name') await meet(room, 'alice');
    await meet(room, 'bob');
    expect(agents(room)).toEqual([alice, { id: 'bob', name: 'bob', policy: 'shared' }]);
  }),
);
