import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

/** A chain of invocations, each asked for by the one before. */
async function chain(room: Room, length: number): Promise<string[]> {
  const ids = [(await room.start()).id];
  while (ids.length < length) ids.push((await room.start({}, room.child(ids.at(-1)!))).id);
  return ids;
}

test('depth is limited to five below the root, and the refusal can be read', async () => {
  await withOperations(async (room) => {
    const ids = await chain(room, 6);
    expect((await room.get(ids[5]!)).depth).toBe(5);
    const call = room.start({}, room.child(ids[5]!));
    await expect(call).rejects.toThrow('depth 6 is over the limit of 5');
    expect(await refusal(room.start({}, room.child(ids[5]!)))).toBe('depth_exceeded');
  });
});

test('open children are limited, and an ended one makes room', async () => {
  await withOperations(
    async (room) => {
      const parent = await room.start();
      const caller = room.child(parent.id);
      const first = await room.start({}, caller);
      await room.start({}, caller);
      expect(await refusal(room.start({}, caller))).toBe('children_exceeded');
      await room.host.play(first.id, 'done');
      await room.start({}, caller);
    },
    { limits: { maxChildren: 2 } },
  );
});

test('where nobody says otherwise, an invocation has a day and fifty open children', async () => {
  await withOperations(async (room) => {
    const parent = await room.start();
    const { created_at, deadline_at } = room.row(parent.id);
    expect(Date.parse(deadline_at) - Date.parse(created_at)).toBe(24 * 60 * 60 * 1000);
    for (let n = 0; n < 50; n += 1) await room.start({}, room.child(parent.id));
    const call = room.start({}, room.child(parent.id));
    expect(await refusal(call)).toBe('children_exceeded');
  });
});

test('a child can tighten the limits of what is below it, and never widen them [leanspec 44]', async () => {
  await withOperations(async (room) => {
    const parent = await room.start({ limits: { maxDepth: 1, maxChildren: 1 } });
    const { depthMax, openChildrenMax, wallSecondsMax } = limits;
    const wide = {
      maxDepth: depthMax,
      maxChildren: openChildrenMax,
      wallSeconds: wallSecondsMax,
    };
    const child = await room.start({ limits: wide }, room.child(parent.id));
    const row = room.row(child.id);
    expect([row.max_depth, row.max_children]).toEqual([1, 1]);
    expect(row.deadline_at).toBe(room.row(parent.id).deadline_at);
    expect(await refusal(room.start({}, room.child(parent.id)))).toBe('children_exceeded');
    expect(await refusal(room.start({}, room.child(child.id)))).toBe('depth_exceeded');

    const other = await room.start();
    const tight = await room.start({ limits: { maxChildren: 0 } }, room.child(other.id));
    expect(await refusal(room.start({}, room.child(tight.id)))).toBe('children_exceeded');
  });
});

test('what a request says of its child does not count for the session that asks', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const asked = { parentSessionId: 'main', limits: { maxChildren: 0, maxDepth: 0 } };
    const first = await room.start(asked);
    const second = await room.start(asked);
    expect(second.depth).toBe(1);
    expect(await refusal(room.start({}, room.child(first.id)))).toBe('depth_exceeded');
  });
});

test('the open children of an external session are limited, too', async () => {
  await withOperations(
    async (room) => {
      await room.ask('registerSession', { key: 'main' });
      await room.start({ parentSessionId: 'main' });
      await room.start({ parentSessionId: 'main' });
      expect(await refusal(room.start({ parentSessionId: 'main' }))).toBe('children_exceeded');
      await room.start();
    },
    { limits: { maxChildren: 2 } },
  );
});

test('a deadline is inherited, also by what is detached', async () => {
  await withOperations(async (room) => {
    const root = await room.start({ limits: { wallSeconds: 60 } });
    room.clock.advance(10_000);
    const child = await room.start({}, room.child(root.id));
    const detached = await room.start({ detached: true }, room.child(root.id));
    const shorter = await room.start({ limits: { wallSeconds: 5 } }, room.child(root.id));
    const end = room.row(root.id).deadline_at;
    expect(room.row(child.id).deadline_at).toBe(end);
    expect(room.row(detached.id).deadline_at).toBe(end);
    expect(room.row(shorter.id).deadline_at < end).toBe(true);
  });
});

test('work cannot be sent to a session that stands above the one that asks', async () => {
  await withOperations(async (room) => {
    const [root, child] = (await chain(room, 2)) as [string, string];
    const key = (await room.get(child)).sessionKey;
    const asChild = callerAs({ claims: { role: 'admin' }, parentSessionId: key });
    const send = (id: string) => room.ask('sendToSubagent', { id, prompt: 'x' }, asChild);
    expect(await refusal(send(root))).toBe('cycle');
    expect(await refusal(send(child))).toBe('cycle');
    expect(room.count('subagent_sessions')).toBe(2);
  });
});

test('two sessions cannot come to wait for each other by sending in turn', async () => {
  await withOperations(async (room) => {
    const one = await room.start();
    const two = await room.start();
    const as = (key: string) => callerAs({ claims: { role: 'admin' }, parentSessionId: key });
    const sent = await room.ask(
      'sendToSubagent',
      { id: two.id, prompt: 'x', executionMode: 'ASYNC_CALLBACK' },
      as(one.sessionKey),
    );
    await room.host.play(two.id, 'done');
    await room.host.claim(sent.id);
    const back = room.ask(
      'sendToSubagent',
      { id: one.id, prompt: 'x', executionMode: 'ASYNC_CALLBACK' },
      as(two.sessionKey),
    );
    expect(await refusal(back)).toBe('cycle');
  });
});

test('a message to a session keeps to what its invocation was allowed', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ limits: { maxDepth: 0, maxChildren: 3 } });
    await room.host.play(id, 'done');
    const sent = await room.ask('sendToSubagent', { id, prompt: 'more' });
    expect(room.row(sent.id)).toMatchObject({ max_depth: 0, max_children: 3 });
    expect(await refusal(room.start({}, room.child(sent.id)))).toBe('depth_exceeded');
  });
});

test('a message from nobody stays in the tree of the session it was sent to', async () => {
  await withOperations(async (room) => {
    const [root, child] = (await chain(room, 2)) as [string, string];
    await room.host.play(child, 'done');
    const sent = await room.ask('sendToSubagent', { id: child, prompt: 'more' });
    const { sessionKey } = await room.get(root);
    expect(sent).toMatchObject({ depth: 1, rootSessionId: sessionKey, parentSessionId: null });
  });
});

test('a message never crosses from one agent to another', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'foreign', agentId: 'other' });
    const { id } = await room.start();
    const caller = callerAs({ claims: { role: 'admin' }, parentSessionId: 'foreign' });
    const send = room.ask(
      'sendToSubagent',
      { id, prompt: 'x', executionMode: 'ASYNC_CALLBACK' },
      caller,
    );
    expect(await refusal(send)).toBe('unknown_parent');
    expect(room.count('subagent_sessions')).toBe(1);
  });
});
