import { expect, test } from '@jest/globals';
import { callerAs, refusal, withOperations, type Room } from './operations-fixture.ts';

const started = async (room: Room, count: number) => {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await room.start()).id);
  return ids;
};

test.each(['child', 'headed'] as const)(
  'who waits lends its slot to the child that it waits for; known as %s',
  async (asker) => {
    await withOperations(
      async (room) => {
        const work = room.host.work(async (spec) => {
          if (spec.depth > 0) return `child ${spec.prompt}`;
          const caller = room[asker](spec.invocationId);
          const children = [];
          for (const prompt of ['1', '2', '3']) children.push(await room.start({ prompt }, caller));
          const ids = children.map((child) => child.id);
          const { done, open } = await room.ask('waitSubagents', { ids }, caller);
          return `${done.length} done, ${open.length} open`;
        });
        const root = await room.ask('runSubagent', { runnerId: 'talk', prompt: 'go' });
        await work.stop();
        expect(root.result?.content).toBe('3 done, 0 open');
        expect(work.peak()).toBe(1);
        expect(room.count('waits')).toBe(0);
      },
      { slots: 1 },
    );
  },
);

test('waiting for any ends with the first, waiting for all with the last', async () => {
  await withOperations(async (room) => {
    const ids = await started(room, 2);
    const any = room.ask('waitSubagents', { ids, until: 'any' });
    const all = room.ask('waitSubagents', { ids, until: 'all' });
    await room.host.play(ids[1]!, 'second');
    expect(await any).toMatchObject({ done: [{ id: ids[1] }], open: [{ id: ids[0] }] });
    await room.host.play(ids[0]!, 'first');
    expect((await all).done.map((record) => record.id)).toEqual(ids);
  });
});

test('a wait that is over says what is still open, and takes nothing with it', async () => {
  await withOperations(async (room) => {
    const ids = await started(room, 1);
    const waited = await room.ask('waitSubagents', { ids, waitSeconds: 0.02 });
    expect(waited).toMatchObject({ done: [], open: [{ id: ids[0], status: 'pending' }] });
    const sync = await room.start({ executionMode: 'SYNC', waitSeconds: 0.02 });
    expect(sync.status).toBe('pending');
    await room.host.play(sync.id, 'done');
  });
});

/** Whoever may only read, with the header of a session that is none of theirs. */
const reader = (room: Room, id: string) =>
  callerAs({
    claims: {
      role: 'readonly',
      agentId: 'default',
      project: null,
      permissions: ['recall'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
    parentSessionId: room.row(id).session_key,
  });

test('nobody can wait for itself or for who stands above it; who only reads may', async () => {
  await withOperations(async (room) => {
    const parent = await room.start();
    const child = await room.start({}, room.child(parent.id));
    await room.host.claim(child.id);
    for (const id of [parent.id, child.id]) {
      const asked = { ids: [id], waitSeconds: 0.01 };
      for (const asker of [room.child(child.id), room.headed(child.id)]) {
        expect(await refusal(room.ask('waitSubagents', asked, asker))).toBe('cycle');
      }
      const read = room.ask('waitSubagents', asked, reader(room, child.id));
      expect((await read).open).toHaveLength(1);
    }
  });
});

test.each([
  ['a token that may only read', reader, true],
  ['one that does not run', (room: Room, id: string) => room.headed(id), false],
] as const)('a wait lends no slot by the header of %s', async (_, callerOf, isRunning) => {
  await withOperations(
    async (room) => {
      const [first, second] = (await started(room, 2)) as [string, string];
      await room.host.claim(first);
      const caller = callerOf(room, isRunning ? first : second);
      const wait = room.ask('waitSubagents', { ids: [first] }, caller);
      await room.store.write(() => undefined);
      expect([room.count('waits'), room.row(second).host_id]).toEqual([0, null]);
      await room.host.end({ invocationId: first, runNo: 1 }, 'done');
      expect((await wait).done).toHaveLength(1);
    },
    { slots: 1 },
  );
});

test('a SYNC call in the name of one that does not run holds nothing up', async () => {
  await withOperations(
    async (room) => {
      const [first, second] = (await started(room, 2)) as [string, string];
      await room.host.claim(first);
      const sync = room.start({ executionMode: 'SYNC', waitSeconds: 5 }, room.headed(second));
      const child = await room.childOf(second);
      expect(room.count('waits')).toBe(0);
      await room.host.end({ invocationId: first, runNo: 1 }, 'done');
      await room.host.play(child, 'done');
      expect((await sync).status).toBe('completed');
    },
    { slots: 1 },
  );
});

test('the last process of a full host is refused to stand still, and can go on', async () => {
  await withOperations(
    async (room) => {
      // One slot and one level below the root: two processes at most.
      const root = await room.start();
      await room.host.claim(root.id);
      const call = room.start({ executionMode: 'SYNC', waitSeconds: 5 }, room.child(root.id));
      const child = await room.childOf(root.id);
      await room.host.claim(child);
      await room.store.write(({ db }) => db.run('UPDATE subagent_sessions SET max_depth = 9'));
      const asChild = room.child(child);
      const before = room.count('subagent_sessions');
      const sync = room.start({ executionMode: 'SYNC', waitSeconds: 5 }, asChild);
      expect(await refusal(sync)).toBe('capacity');
      expect(room.count('subagent_sessions')).toBe(before);

      const poll = await room.start({}, asChild);
      const wait = room.ask('waitSubagents', { ids: [poll.id], waitSeconds: 5 }, asChild);
      expect(await refusal(wait)).toBe('capacity');
      const asked = { ids: [poll.id], waitSeconds: 0.01 };
      const read = room.ask('waitSubagents', asked, reader(room, child));
      expect((await read).open).toHaveLength(1);
      await room.host.end({ invocationId: child, runNo: 1 }, 'done');
      expect((await call).status).toBe('completed');
      await room.host.end({ invocationId: root.id, runNo: 1 }, 'done');
      await room.host.play(poll.id, 'done');
    },
    { slots: 1, limits: { maxDepth: 1 } },
  );
});

test('a wait whose header names nobody who stands still is a wait like any other', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    for (const agentId of ['a', 'b']) await room.ask('registerSession', { key: 'two', agentId });
    const ended = await room.start();
    await room.host.play(ended.id, 'done');
    const open = await room.start();
    const asked = { ids: [open.id], waitSeconds: 0.01 };
    for (const parentSessionId of ['main', 'two', 'nobody', ended.sessionKey]) {
      const caller = callerAs({ claims: { role: 'admin' }, parentSessionId });
      expect((await room.ask('waitSubagents', asked, caller)).open).toHaveLength(1);
    }
  });
});
