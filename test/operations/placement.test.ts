import { expect, test } from '@jest/globals';
import { expire } from '../../store/lifecycle/expire.ts';
import { createHost } from './test-host.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const MINUTE = 60_000;
const look = (room: Room) =>
  room.store.write((tx) =>
    expire(tx, { hostWaitMs: 10 * MINUTE, leaseMs: 10 * MINUTE, stopMs: 25_000 }),
  );
const hostOf = (room: Room, id: string) => room.row(id).host_id;

/** A second machine with as many slots. */
async function second(room: Room, slots = 4, id = 'b') {
  const host = createHost(room.deps, id, `boot-of-${id}`);
  await host.hello(slots);
  return host;
}

test('with several hosts live, work goes to the one with most free slots', async () => {
  await withOperations(
    async (room) => {
      await second(room, 3, 'z');
      const hosts = [];
      for (let n = 0; n < 5; n += 1) hosts.push(hostOf(room, (await room.start()).id));
      // `z` until both have one left, then by name.
      expect(hosts).toEqual(['z', 'z', 'local', 'z', null]);
    },
    { slots: 1 },
  );
});

test('work that its host did not claim before it fell silent goes to another one, in its old order', async () => {
  await withOperations(
    async (room) => {
      const ids = [(await room.start()).id, (await room.start()).id];
      const later = (await room.start()).id;
      expect(ids.map((id) => hostOf(room, id))).toEqual(['local', 'local']);
      const other = await second(room, 1);
      expect(hostOf(room, later)).toBe('b');
      await other.play(later, 'done');
      room.clock.advance(16_000);
      await other.sync();
      expect((await room.get(ids[0]!)).pendingReason).toBe('starting');
      await look(room);
      expect(ids.map((id) => hostOf(room, id))).toEqual(['b', null]);
      expect((await room.get(ids[1]!)).pendingReason).toBe('no free slot: 0 before it');
      await other.play(ids[0]!, 'done');
      await other.play(ids[1]!, 'done');
      // The first one is back: it is told that there is nothing of it to be run any more.
      await room.host.sync();
      expect(await room.host.tryClaim(ids[0]!)).toMatchObject({ kind: 'nothing' });
    },
    { slots: 2 },
  );
});

test('where no other host is live it waits, says so, and runs when the first one is back', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    room.clock.advance(16_000);
    await look(room);
    expect((await room.get(id)).pendingReason).toBe('no runner host is up');
    await room.host.sync();
    expect(await room.host.play(id, 'done')).toMatchObject({ runNo: 1 });
  });
});

test('what a draining host has not claimed goes on elsewhere; what it runs stays', async () => {
  await withOperations(async (room) => {
    const running = await room.host.claim((await room.start()).id);
    const { id } = await room.start();
    await room.host.sync([running], true);
    // At once, not when the server looks at the time next.
    expect((await room.get(id)).pendingReason).toBe('every runner host is about to end');
    const other = await second(room);
    await other.play(id, 'done');
    expect(hostOf(room, running.invocationId)).toBe('local');
    expect(await room.host.end(running, 'done')).toMatchObject({ status: 'completed' });
  });
});

test('a host that ends takes back nothing of another, which may be silent for the while only', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const other = await second(room);
    room.clock.advance(16_000);
    await other.sync([], true);
    expect(hostOf(room, id)).toBe('local');
  });
});

test('a session goes on where it has spoken before, and waits for that host while it is away', async () => {
  await withOperations(
    async (room) => {
      const first = (await room.start()).id;
      await room.host.play(first, 'done');
      const other = await second(room, 9);
      const next = await room.ask('sendToSubagent', {
        id: first,
        prompt: 'and?',
        executionMode: 'ASYNC_POLL',
      });
      expect(hostOf(room, next.id)).toBe('local');
      await room.host.sync([], true);
      expect((await room.get(next.id)).pendingReason).toBe(
        'runner host local, where its files are, is about to end: it waits for it',
      );
      room.clock.advance(16_000);
      await other.sync();
      await look(room);
      expect((await room.get(next.id)).pendingReason).toBe(
        'runner host local, where its files are, is away: it waits for it',
      );
      // It holds up nobody who may run elsewhere.
      const free = (await room.start()).id;
      expect(hostOf(room, free)).toBe('b');
      room.clock.advance(11 * MINUTE);
      await other.sync();
      await look(room);
      expect(await room.get(next.id)).toMatchObject({
        status: 'timed_out',
        errorCode: 'no_host',
        error: 'runner host local, where its files are, did not come back',
      });
    },
    { slots: 1 },
  );
});

test("a child in its parent's workspace runs beside its parent; one elsewhere runs anywhere", async () => {
  await withOperations(async (room) => {
    const parent = await room.host.claim((await room.start()).id);
    await second(room, 9);
    const caller = room.child(parent.invocationId);
    const beside = await room.start({}, caller);
    expect(hostOf(room, beside.id)).toBe('local');
    const elsewhere = await room.start({ context: { workspacePath: room.workspace } }, caller);
    expect(hostOf(room, elsewhere.id)).toBe('b');
  });
});

test('a run that was lost with its host and may be repeated is repeated by another host', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start({ runnerId: 'again' })).id);
    room.clock.advance(11 * MINUTE);
    const other = await second(room);
    await look(room);
    expect(hostOf(room, run.invocationId)).toBe('b');
    expect(await other.play(run.invocationId, 'done')).toMatchObject({ runNo: 2 });
  });
});

test('a process out of reach is called unconfirmed until its host has spoken, or its lease is over', async () => {
  await withOperations(async (room) => {
    const here = await room.host.claim((await room.start()).id);
    const other = await second(room, 9);
    const runs = [here, await other.claim((await room.start()).id)];
    for (const run of runs) await room.ask('cancelSubagent', { id: run.invocationId });
    room.clock.advance(16_000);
    await look(room);
    const hints = () =>
      Promise.all(runs.map(async (run) => (await room.get(run.invocationId)).errorHint));
    expect(await hints()).toEqual([
      expect.stringContaining('process unconfirmed'),
      expect.stringContaining('process unconfirmed'),
    ]);
    await room.host.sync([runs[0]!]);
    await room.host.end(runs[0]!, 'stopped');
    expect(await hints()).toEqual([null, expect.stringContaining('process unconfirmed')]);
    room.clock.advance(11 * MINUTE);
    await look(room);
    expect(await hints()).toEqual([null, null]);
    const { status, errorCode } = await room.get(runs[1]!.invocationId);
    expect({ status, errorCode }).toEqual({ status: 'cancelled', errorCode: 'cancelled' });
  });
});

test('a message that waits for the host of its session begins elsewhere once nothing is left of that', async () => {
  await withOperations(
    async (room) => {
      const first = await room.start();
      await room.host.play(first.id, 'done');
      const busy = await room.start();
      const other = await second(room, 1);
      const more = await room.ask('sendToSubagent', { id: first.id, prompt: 'more' });
      expect([hostOf(room, busy.id), hostOf(room, more.id)]).toEqual(['local', null]);
      await room.ask('deleteSubagent', { id: first.id });
      expect(hostOf(room, more.id)).toBe('b');
      await other.play(more.id, 'done');
    },
    { slots: 1 },
  );
});
