import { expect, test } from '@jest/globals';
import { failed } from './test-host.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const statuses = async (room: Room, ids: string[]) => {
  const all: string[] = [];
  for (const id of ids) all.push((await room.get(id)).status);
  return all;
};

test('cancelling flags the whole subtree at once, ends what does not run, and stops what does', async () => {
  await withOperations(
    async (room) => {
      const root = await room.host.claim((await room.start()).id);
      const running = await room.host.claim(
        (await room.start({}, room.child(root.invocationId))).id,
      );
      const pending = await room.start({}, room.child(running.invocationId));
      const ids = [root.invocationId, running.invocationId, pending.id];
      const record = await room.ask('cancelSubagent', { id: ids[0]!, reason: 'enough' });
      expect(record).toMatchObject({ status: 'running' });
      expect(record.pendingReason).toMatch(/^being cancelled/);
      expect(await statuses(room, ids)).toEqual(['running', 'running', 'cancelled']);
      expect(ids.every((id) => room.row(id).cancel_requested_at !== null)).toBe(true);

      const { stop } = await room.host.sync([root, running]);
      expect(stop.map((order) => order.reason)).toEqual(['cancelled', 'cancelled']);
      // Whatever a stopped process says, it was stopped.
      await room.host.end(running, failed('killed by SIGTERM'));
      await room.host.end(root, 'I was done anyway');
      expect(await statuses(room, ids)).toEqual(Array(3).fill('cancelled'));
      expect(await room.get(ids[0]!)).toMatchObject({
        error: 'enough',
        errorCode: 'cancelled',
        result: { content: 'I was done anyway' },
      });
    },
    { slots: 2 },
  );
});

test('what is detached goes on, and its callback is kept for the session', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const asked = { executionMode: 'ASYNC_CALLBACK', detached: true } as const;
    const detached = await room.start(asked, room.child(root.invocationId));
    const below = await room.start({}, room.child(detached.id));
    await room.ask('cancelSubagent', { id: root.invocationId });
    await room.host.end(root, failed('killed'));
    expect(await statuses(room, [detached.id, below.id])).toEqual(['pending', 'pending']);
    await room.start({}, room.child(detached.id));
    await room.host.play(detached.id, 'finished all the same');
    expect((await room.get(detached.id)).status).toBe('completed');
    expect(await room.callbacks(root.sessionKey)).toMatchObject([{ state: 'undelivered' }]);
  });
});

test('when a parent ends otherwise than completed its children are stopped, and say why', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const caller = room.child(root.invocationId);
    const child = await room.host.claim((await room.start({}, caller)).id);
    const grandchild = await room.start({}, room.child(child.invocationId));
    const detached = await room.start({ detached: true }, caller);
    await room.host.end(root, failed('exit 3'));
    expect(await room.get(grandchild.id)).toMatchObject({
      status: 'cancelled',
      errorCode: 'parent_ended',
    });
    expect(room.row(child.invocationId).cancel_code).toBe('parent_ended');
    await room.host.end(child, failed('killed'));
    expect(await room.get(child.invocationId)).toMatchObject({
      status: 'cancelled',
      errorCode: 'parent_ended',
      error: `its parent ${root.invocationId} has ended`,
    });
    expect((await room.get(detached.id)).status).toBe('pending');
  });
});

test('when a parent completes, the children that it does not wait for go on', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(root.invocationId));
    await room.host.end(root, 'done');
    expect(await statuses(room, [root.invocationId, child.id])).toEqual(['completed', 'pending']);
    await room.host.play(child.id, 'also done');
    expect((await room.get(child.id)).status).toBe('completed');
  });
});

test('cancelling what has ended leaves it as it was, and ends what it had left running', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(root.invocationId));
    await room.host.end(root, 'done');
    const before = await room.get(root.invocationId);
    expect(await room.ask('cancelSubagent', { id: root.invocationId })).toEqual(before);
    expect((await room.get(child.id)).status).toBe('cancelled');
    await room.ask('cancelSubagent', { id: child.id });
    expect((await room.turns(child.id)).map((turn) => turn.text)).toEqual([
      'cancelled: cancelled on request',
    ]);
  });
});

test('a waiting parent that is cancelled is not woken by the callbacks of its children', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const asked = { executionMode: 'ASYNC_CALLBACK' } as const;
    const child = await room.host.claim(
      (await room.start(asked, room.child(root.invocationId))).id,
    );
    await room.host.end(root, 'asked');
    await room.ask('cancelSubagent', { id: root.invocationId });
    expect((await room.get(root.invocationId)).status).toBe('cancelled');
    await room.host.end(child, failed('killed'));
    expect(await room.callbacks(root.sessionKey)).toMatchObject([
      { state: 'undelivered', status: 'cancelled' },
    ]);
    expect(room.row(root.invocationId)).toMatchObject({ host_id: null, queued_at_ordinal: null });
  });
});

test('a cancel whose host is silent does not wait for it, and says that the process may live', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    room.clock.advance(60_000);
    expect(await room.ask('cancelSubagent', { id: run.invocationId })).toMatchObject({
      status: 'cancelled',
      errorHint: expect.stringContaining('process unconfirmed'),
    });
    const { stop } = await room.host.sync([run]);
    expect(stop).toMatchObject([{ reason: 'not_yours' }]);
  });
});

test('a SYNC caller is answered as soon as its child is cancelled', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const call = room.ask(
      'runSubagent',
      { runnerId: 'talk', prompt: 'x' },
      room.child(root.invocationId),
    );
    const child = await room.childOf(root.invocationId);
    await room.ask('cancelSubagent', { id: child });
    expect(await call).toMatchObject({ id: child, status: 'cancelled' });
    expect(room.count('waits')).toBe(0);
  });
});
