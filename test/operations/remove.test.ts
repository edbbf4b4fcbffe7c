import { expect, test } from '@jest/globals';
import { nextSessionStep, nextStep } from '../../store/lifecycle/next-step.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

const around = { homeId: 'h', attributes: [], sessionIdleMs: 1000 };

/** A root with a child and a grandchild, all of them ended. */
async function endedTree(room: Room): Promise<[string, string, string]> {
  const root = await room.host.claim((await room.start()).id);
  const asked = { executionMode: 'ASYNC_CALLBACK' } as const;
  const child = await room.host.claim((await room.start(asked, room.child(root.invocationId))).id);
  const grandchild = await room.start({}, room.child(child.invocationId));
  await room.host.play(grandchild.id, 'c');
  await room.host.end(child, 'b');
  await room.host.end(root, 'a');
  await room.host.play(root.invocationId, 'all');
  return [root.invocationId, child.invocationId, grandchild.id];
}

test('deleting takes all below with it, and says how much', async () => {
  await withOperations(async (room) => {
    const [root] = await endedTree(room);
    const turns = room.count('turns');
    const deleted = await room.ask('deleteSubagent', { id: root });
    expect(deleted).toEqual({ sessions: 3, invocations: 3, turns, callbacks: 1 });
    const tables = [
      'sessions',
      'turns',
      'lineage',
      'subagent_sessions',
      'runs',
      'mailbox',
      'waits',
    ];
    expect(tables.map((table) => room.count(table))).toEqual(tables.map(() => 0));
  });
});

test('deleting is refused while it or anything below it runs, and then nothing is gone', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(root.invocationId));
    const { sessionKey: key } = root;
    const id = root.invocationId;
    expect(await refusal(room.ask('deleteSubagent', { id }))).toBe('still_running');
    await room.host.end(root, 'done');
    await expect(room.ask('deleteSubagent', { id })).rejects.toThrow(`${child.id} is pending`);
    expect(await refusal(room.ask('deleteSession', { key }))).toBe('still_running');
    expect(room.count('subagent_sessions')).toBe(2);
    await room.host.play(child.id, 'done');
    expect(await room.ask('deleteSession', { key })).toMatchObject({ sessions: 2, invocations: 2 });
  });
});

test('deleting one in the middle keeps what stands above, and its tree', async () => {
  await withOperations(async (room) => {
    const [root, child] = await endedTree(room);
    expect(await room.ask('deleteSubagent', { id: child })).toMatchObject({
      sessions: 2,
      invocations: 2,
      callbacks: 1,
    });
    const { sessionKey: key } = await room.get(root);
    expect(await room.ask('getTree', { key })).toMatchObject({ sessionKey: key, children: [] });
    // What the parent was told stays in its transcript.
    expect((await room.turns(root)).filter((turn) => turn.role === 'callback')).toHaveLength(1);
  });
});

test('a session stays while a later message on it does, with its own turns only', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, 'first');
    const sent = await room.ask('sendToSubagent', { id, prompt: 'more' });
    await room.host.play(sent.id, 'second');
    expect(await room.ask('deleteSubagent', { id })).toMatchObject({ sessions: 0, invocations: 1 });
    const texts = (await room.turns(sent.id)).map((turn) => turn.text);
    expect(texts).toEqual(['more', 'running', 'second', 'completed']);
    const again = await room.ask('sendToSubagent', { id: sent.id, prompt: 'and more' });
    expect((await room.host.play(again.id, 'third')).prompt).toBe('and more');
  });
});

test('a session that is kept keeps its place in the tree', async () => {
  await withOperations(async (room) => {
    const [root, child, grandchild] = await endedTree(room);
    const sent = await room.ask('sendToSubagent', { id: child, prompt: 'more' });
    await room.host.play(sent.id, 'x');
    const late = await room.ask('sendToSubagent', { id: grandchild, prompt: 'more' });
    await room.host.play(late.id, 'y');
    const { sessionKey: key } = await room.get(root);
    await room.ask('deleteSubagent', { id: root });
    expect(await room.ask('getTree', { key })).toMatchObject({
      invocations: [],
      children: [
        { invocations: [{ id: sent.id }], children: [{ invocations: [{ id: late.id }] }] },
      ],
    });
  });
});

test('what a session asked of others goes with it, and holds it back while it runs', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const { id } = await room.start();
    await room.host.play(id, 'done');
    const caller = callerAs({ claims: { role: 'admin' }, parentSessionId: 'main' });
    const sent = await room.ask(
      'sendToSubagent',
      { id, prompt: 'x', executionMode: 'ASYNC_CALLBACK' },
      caller,
    );
    expect(await refusal(room.ask('deleteSession', { key: 'main' }))).toBe('still_running');
    await room.host.play(sent.id, 'done');
    expect(await room.ask('deleteSession', { key: 'main' })).toMatchObject({
      sessions: 1,
      invocations: 1,
      callbacks: 1,
    });
    expect((await room.get(id)).status).toBe('completed');
  });
});

test('a deleted session is unknown, and so are its callbacks and its tree', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    expect(await room.ask('deleteSession', { key: 'main' })).toMatchObject({ sessions: 1 });
    expect(await refusal(room.ask('getTree', { key: 'main' }))).toBe('not_found');
    expect(await refusal(room.ask('getCallbacks', { key: 'main' }))).toBe('not_found');
    expect(await refusal(room.ask('deleteSession', { key: 'main' }))).toBe('not_found');
    expect(await refusal(room.ask('deleteSubagent', { id: 'sub_unknown' }))).toBe('not_found');
  });
});

test('the workflow of what was deleted is told, and ends', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.store.write((tx) => nextStep(tx, around, id));
    await room.host.play(id, 'done');
    await room.ask('deleteSubagent', { id });
    const poke = { kind: 'poke', target_invocation_id: id };
    expect(room.store.db.all('SELECT * FROM outbox')).toMatchObject([poke]);
    const step = await room.store.write((tx) => nextStep(tx, around, id));
    expect(step).toMatchObject({ step: 'done', ending: { status: 'deleted' } });
    expect(room.count('outbox')).toBe(0);
  });
});

test('the workflow of a deleted session is told, and ends, also when its key is used anew', async () => {
  await withOperations(async (room) => {
    const ask = () => room.store.write((tx) => nextSessionStep(tx, around, 'default', 'main'));
    for (const isUsedAnew of [false, true]) {
      await room.ask('registerSession', { key: 'main' });
      const { id } = await room.start({ parentSessionId: 'main' });
      expect(await ask()).toMatchObject({ idleMs: null });
      await room.host.play(id, 'done');
      await room.ask('deleteSession', { key: 'main' });
      const pokes = room.store.db.all('SELECT * FROM outbox');
      expect(pokes).toMatchObject([{ kind: 'session', workflow_id: 'session/default/main' }]);
      if (isUsedAnew) await room.ask('registerSession', { key: 'main' });
      expect(await ask()).toMatchObject({ children: [], idleMs: isUsedAnew ? 1000 : 0 });
      expect(room.count('outbox')).toBe(0);
    }
  });
});

test('the token of a deleted invocation opens nothing', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.play(id, 'done');
    await room.ask('deleteSubagent', { id });
    expect(await refusal(room.start({}, room.child(id)))).toBe('unauthorized');
    expect(await refusal(room.ask('listSubagents', {}, room.child(id)))).toBe('unauthorized');
  });
});
