import { expect, test } from '@jest/globals';
import { operations, type OperationInput, type OperationName } from '../../contract/operations.ts';
import { watchSubagent } from '../../operations/index.ts';
import { everyHook } from './hooks/hooks-fixture.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

interface Family {
  above: string;
  self: string;
  below: string;
  sibling: string;
  stranger: string;
  /** An external session, which no child may touch. */
  main: string;
}

/** An invocation with its parent, a sibling and a child; all sessions can take messages. */
async function family(room: Room): Promise<Family> {
  await room.ask('registerSession', { key: 'main' });
  const above = (await room.start({ parentSessionId: 'main' })).id;
  const self = (await room.start({}, room.child(above))).id;
  const sibling = (await room.start({}, room.child(above))).id;
  const below = (await room.start({}, room.child(self))).id;
  const stranger = (await room.start()).id;
  return { above, self, below, sibling, stranger, main: 'main' };
}

type Who = 'above' | 'self' | 'below' | 'sibling' | 'stranger';
type Call = (id: string, key: string) => { [N in OperationName]?: OperationInput<N> };

const onInvocation: Call = (id) => ({
  getSubagent: { id },
  getTranscript: { id },
  waitSubagents: { ids: [id], waitSeconds: 0 },
  cancelSubagent: { id },
  sendToSubagent: { id, prompt: 'x' },
  deleteSubagent: { id },
});
const onSession: Call = (_, key) => ({
  getTree: { key },
  getCallbacks: { key },
  ackCallbacks: { key, ids: ['cb_x'] },
  deleteSession: { key },
  getContext: { key },
  getSession: { key },
  bypassSession: { key, enabled: false },
  renewSession: { key },
  writeCheckpoint: { key, summary: 'so far' },
});

/** What each operation answers to a child's token, by whom it is about. `ok` = let through. */
const expected: Record<string, Record<Who, string>> = {
  getSubagent: { above: 'ok', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  getTranscript: { above: 'ok', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  waitSubagents: { above: 'cycle', self: 'cycle', below: 'ok', sibling: 'no', stranger: 'no' },
  cancelSubagent: { above: 'no', self: 'no', below: 'ok', sibling: 'no', stranger: 'no' },
  sendToSubagent: { above: 'no', self: 'no', below: 'ok', sibling: 'no', stranger: 'no' },
  deleteSubagent: { above: 'no', self: 'no', below: 'ok', sibling: 'no', stranger: 'no' },
  getTree: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  getCallbacks: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  ackCallbacks: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  getSession: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  bypassSession: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  renewSession: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  getContext: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  writeCheckpoint: { above: 'no', self: 'ok', below: 'ok', sibling: 'no', stranger: 'no' },
  deleteSession: { above: 'no', self: 'no', below: 'ok', sibling: 'no', stranger: 'no' },
};

test.each(Object.keys(expected))(
  "a child's token is let through to its own subtree only: %s",
  async (name) => {
    await withOperations(async (room) => {
      const ids = await family(room);
      const answers: Record<string, string> = {};
      for (const who of Object.keys(expected[name]!) as Who[]) {
        const key = room.row(ids[who]).session_key;
        const input = { ...onInvocation(ids[who], key), ...onSession(ids[who], key) }[
          name as OperationName
        ];
        const code = await refusal(
          room.ask(name as OperationName, input as never, room.child(ids.self)),
        );
        // What is refused for its state, or because it is not there, was let through.
        if (code === 'forbidden') answers[who] = 'no';
        else answers[who] = code === 'cycle' ? 'cycle' : 'ok';
      }
      expect(answers).toEqual(expected[name]);
    });
  },
);

test('a session outside, and one of another agent, is closed to a child', async () => {
  await withOperations(async (room) => {
    const { self, main } = await family(room);
    const child = room.child(self);
    for (const [name, input] of Object.entries(onSession('', main))) {
      expect([name, await refusal(room.ask(name as 'getTree', input as never, child))]).toEqual([
        name,
        'forbidden',
      ]);
    }
    await room.ask('registerSession', { key: 'far', agentId: 'other' });
    const far = room.ask('getTree', { key: 'far', agentId: 'other' }, child);
    expect(await refusal(far)).toBe('not_found');
  });
});

test('a child lists what it has asked for, and nothing else', async () => {
  await withOperations(async (room) => {
    const { self, below, stranger } = await family(room);
    await room.ask('sendToSubagent', { id: below, prompt: 'x' });
    const listed = await room.ask('listSubagents', {}, room.child(self));
    expect(listed.items.map((record) => record.id)).toEqual([below]);
    const all = await room.ask('listSubagents', {});
    expect(all.items.map((record) => record.id)).toContain(stranger);
    const history = await room.ask('getSpecHistory', { specId: 'x' }, room.child(self));
    expect(history.items).toEqual([]);
  });
});

test('a child registers no sessions', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const register = room.ask('registerSession', { key: 'mine' }, room.child(id));
    expect(await refusal(register)).toBe('forbidden');
  });
});

test('a child follows its own output and that of its children, not that of a sibling', async () => {
  await withOperations(async (room) => {
    const { self, below, sibling } = await family(room);
    const follow = async (id: string) => {
      const gone = new AbortController();
      const caller = { ...room.child(self), gone: gone.signal };
      const turns = watchSubagent(room.deps, caller, { id, after: 0 })[Symbol.asyncIterator]();
      const next = turns.next();
      gone.abort();
      await next;
    };
    await follow(self);
    await follow(below);
    expect(await refusal(follow(sibling))).toBe('forbidden');
  });
});

test("a host's token opens no operation at all", async () => {
  await withOperations(async (room) => {
    const { self, main } = await family(room);
    const host = callerAs({ claims: { role: 'host', hostId: 'local' } });
    const inputs: { [N in OperationName]?: unknown } = {
      ...(onInvocation(self, main) as object),
      ...(onSession(self, main) as object),
      runSubagent: { runnerId: 'talk', prompt: 'x', waitSeconds: 0 },
      listSubagents: {},
      registerSession: { key: 'x' },
      getSpecHistory: { specId: 'x' },
      listRunners: {},
      getHealth: {},
      takeBackup: {},
      checkStore: {},
      issueHostToken: { hostId: 'box' },
      revokeHostToken: { hostId: 'box' },
      searchSessions: { query: 'x' },
      ...everyHook,
      getSessionTranscript: { key: main },
      exportSession: { key: main },
      importSession: { jsonl: '{}' },
      listSessions: {},
      getPresence: {},
      getAgent: { id: 'x' },
      putAgent: { id: 'x' },
      createToken: { role: 'agent', agentId: 'x' },
      putEntity: { entity: 'x' },
      getEntity: { entity: 'x' },
      listEntities: {},
      deleteEntity: { entity: 'x' },
    };
    const codes: string[] = [];
    for (const name of Object.keys(operations) as OperationName[]) {
      codes.push(`${name} ${await refusal(room.ask(name, inputs[name] as never, host))}`);
    }
    expect(codes).toEqual(Object.keys(operations).map((name) => `${name} forbidden`));
  });
});

test('what is not there is not found, for reading and for acting alike', async () => {
  await withOperations(async (room) => {
    for (const [name, input] of Object.entries(onInvocation('sub_unknown', ''))) {
      const code = await refusal(room.ask(name as 'getSubagent', input as never));
      expect([name, code]).toEqual([name, 'not_found']);
    }
  });
});

test('of two agents with a session of one key the one that the key names is its parent', () =>
  withOperations(async (room) => {
    const key = 'agent:b:main';
    for (const agentId of ['a', 'b']) await room.ask('registerSession', { key, agentId });
    expect((await room.start({ parentSessionId: key })).agentId).toBe('b');
  }));

test('two agents with a session of one name are told apart by the agent, never guessed', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main', agentId: 'a' });
    await room.ask('registerSession', { key: 'main', agentId: 'b' });
    expect(await refusal(room.start({ parentSessionId: 'main' }))).toBe('parent_conflict');
    const child = await room.start({ parentSessionId: 'main', agentId: 'b' });
    expect(child.agentId).toBe('b');
    // A message needs no name of an agent: it stays with the one whose invocation it goes to.
    const asker = callerAs({ claims: { role: 'admin' }, parentSessionId: 'main' });
    const sent = await room.ask('sendToSubagent', { id: child.id, prompt: 'more' }, asker);
    expect(sent).toMatchObject({ agentId: 'b', parentSessionId: 'main' });
    const tree = await room.ask('getTree', { key: 'main', agentId: 'a' });
    expect(tree.children).toEqual([]);
  });
});
