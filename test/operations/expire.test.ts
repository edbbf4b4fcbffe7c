import { expect, test } from '@jest/globals';
import { expire, hasExpirable, type Patience } from '../../store/lifecycle/expire.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const MINUTE = 60_000;
const patience: Patience = { hostWaitMs: 10 * MINUTE, leaseMs: 10 * MINUTE, stopMs: 25_000 };

const pass = (room: Room, more: Partial<Patience> = {}) =>
  room.store.write((tx) => expire(tx, { ...patience, ...more }));

test('work that is over its time is stopped with all below it, and is called timed_out', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ limits: { wallSeconds: 60 } });
    const run = await room.host.claim(id);
    const child = await room.start({}, room.child(id));
    await pass(room);
    expect((await room.get(id)).status).toBe('running');
    room.clock.advance(MINUTE);
    await room.host.sync([run]);
    await pass(room);
    expect(await room.get(child.id)).toMatchObject({ status: 'timed_out', errorCode: 'wall_time' });
    await room.host.end(run, 'too late');
    expect(await room.get(id)).toMatchObject({ status: 'timed_out', errorCode: 'wall_time' });
  });
});

test('work that is over its time says which limit that was, and how to get more', async () => {
  await withOperations(async (room) => {
    const root = await room.start({ limits: { wallSeconds: 90 } });
    const short = await room.start({ limits: { wallSeconds: 30 } }, room.child(root.id));
    const long = await room.start({ detached: true }, room.child(root.id));
    const below = await room.start({}, room.child(long.id));
    const errorOf = async ({ id }: { id: string }) => (await room.get(id)).error;
    room.clock.advance(31_000);
    await pass(room);
    expect(await errorOf(short)).toBe(
      'did not end within 30 s, waiting included (limits.wallSeconds)',
    );
    room.clock.advance(MINUTE);
    await pass(room);
    expect(await room.get(root.id)).toMatchObject({
      status: 'timed_out',
      error: 'did not end within 90 s, waiting included (limits.wallSeconds)',
      errorHint: expect.stringMatching(/^Ask again with .*--wall.* in the configuration, /),
    });
    const ofRoot = `did not end within the 90 s of ${root.id}, waiting included (limits.wallSeconds)`;
    expect([await errorOf(long), await errorOf(below)]).toEqual([ofRoot, ofRoot]);
  });
});

test('a process that is over its time and out of reach says so first, and then how to get more time', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ limits: { wallSeconds: 60 } });
    const run = await room.host.claim(id);
    room.clock.advance(MINUTE);
    await room.host.sync([run]);
    await pass(room);
    room.clock.advance(30_000);
    await room.host.sync([run]);
    await pass(room);
    const hint = async () => (await room.get(id)).errorHint;
    expect(await hint()).toContain('process unconfirmed');
    await room.host.end(run, 'too late');
    expect(await hint()).toContain('--wall');
  });
});

test('a waiting parent is over its time as well, and its parent is told', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const asked = { executionMode: 'ASYNC_CALLBACK' } as const;
    const limits = { wallSeconds: 60 };
    const { id } = await room.start({ ...asked, parentSessionId: 'main', limits });
    const run = await room.host.claim(id);
    await room.start(asked, room.child(id));
    await room.host.end(run, 'asked');
    room.clock.advance(2 * MINUTE);
    await pass(room);
    expect((await room.get(id)).status).toBe('timed_out');
    expect(await room.callbacks('main')).toMatchObject([{ status: 'timed_out' }]);
  });
});

test('where no host comes, the work ends in time, and the parent is told', async () => {
  await withOperations(
    async (room) => {
      await room.ask('registerSession', { key: 'main' });
      const asked = { executionMode: 'ASYNC_CALLBACK', parentSessionId: 'main' } as const;
      const { id } = await room.start(asked);
      expect((await room.get(id)).pendingReason).toBe('no runner host is up');
      room.clock.advance(9 * MINUTE);
      await pass(room);
      expect((await room.get(id)).status).toBe('pending');
      room.clock.advance(2 * MINUTE);
      await pass(room);
      expect(await room.get(id)).toMatchObject({ status: 'timed_out', errorCode: 'no_host' });
      expect(await room.callbacks('main')).toMatchObject([{ status: 'timed_out' }]);
    },
    { isHostUp: false },
  );
});

test('a short absence of the host ends nothing that has waited long for a slot', async () => {
  await withOperations(
    async (room) => {
      const busy = await room.host.claim((await room.start()).id);
      const { id } = await room.start();
      room.clock.advance(30 * MINUTE);
      await room.host.sync([busy]);
      room.clock.advance(MINUTE);
      await pass(room);
      expect((await room.get(id)).status).toBe('pending');
    },
    { slots: 1 },
  );
});

test('after the server was away itself, hosts get the time to come back', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    await room.host.sync([run], true);
    const { id } = await room.start();
    room.clock.advance(60 * MINUTE);
    const awakeSince = room.store.now();
    room.clock.advance(1000);
    await pass(room, { awakeSince });
    expect((await room.get(id)).status).toBe('pending');
    expect((await room.get(run.invocationId)).status).toBe('running');
    await room.host.sync([run]);
    room.clock.advance(60_000);
    await pass(room, { awakeSince });
    expect(await room.host.end(run, 'alive')).toMatchObject({ status: 'completed' });
  });
});

test('however short the wait for a host is set, after an absence of its own the server hears them first', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    room.clock.advance(60_000);
    const awakeSince = room.store.now();
    room.clock.advance(2000);
    await pass(room, { awakeSince, hostWaitMs: 1000 });
    expect((await room.get(id)).status).toBe('pending');
    room.clock.advance(15_000);
    await pass(room, { awakeSince, hostWaitMs: 1000 });
    expect((await room.get(id)).errorCode).toBe('no_host');
  });
});

test('a callback turn that no host comes for ends in time, too', async () => {
  await withOperations(async (room) => {
    const root = await room.host.claim((await room.start()).id);
    const asked = { executionMode: 'ASYNC_CALLBACK' } as const;
    const child = await room.host.claim(
      (await room.start(asked, room.child(root.invocationId))).id,
    );
    await room.host.end(root, 'asked');
    await room.host.sync([child], true);
    await room.host.end(child, 'blue');
    expect((await room.get(root.invocationId)).status).toBe('waiting');
    room.clock.advance(30 * MINUTE);
    await pass(room);
    expect(await room.get(root.invocationId)).toMatchObject({
      status: 'timed_out',
      errorCode: 'no_host',
    });
    expect(await room.callbacks(root.sessionKey)).toMatchObject([{ state: 'undelivered' }]);
  });
});

test('a host that is silent for longer than its lease has lost its runs', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    room.clock.advance(10 * MINUTE);
    await pass(room);
    expect((await room.get(run.invocationId)).status).toBe('running');
    room.clock.advance(MINUTE);
    await pass(room);
    expect(await room.get(run.invocationId)).toMatchObject({
      status: 'failed',
      errorCode: 'outcome_unknown',
    });
  });
});

test('a host that falls silent after the clock was set back is missed in time all the same', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    room.clock.advance(-60 * MINUTE);
    await pass(room);
    room.clock.advance(11 * MINUTE);
    await pass(room);
    expect(await room.get(run.invocationId)).toMatchObject({ errorCode: 'outcome_unknown' });
  });
});

test('a host that speaks after the clock was set back is noted as it is now', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    room.clock.advance(-60 * MINUTE);
    await room.host.sync([run]);
    const host = room.store.db.get<{ at: string }>('SELECT last_seen_at AS at FROM hosts')!;
    expect(host.at <= room.store.now()).toBe(true);
  });
});

test('a process that does not stop in time is given up, and said to be unconfirmed', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    await room.ask('cancelSubagent', { id: run.invocationId });
    room.clock.advance(10_000);
    await room.host.sync([run]);
    await pass(room);
    expect((await room.get(run.invocationId)).status).toBe('running');
    room.clock.advance(20_000);
    await room.host.sync([run]);
    await pass(room);
    expect(await room.get(run.invocationId)).toMatchObject({
      status: 'cancelled',
      errorHint: expect.stringContaining('process unconfirmed'),
    });
  });
});

test('what is sent and shows no effect is due again, and an idle server has nothing to do', async () => {
  await withOperations(async (room) => {
    expect(hasExpirable({ db: room.store.db, now: room.store.now() })).toBe(false);
    await room.start();
    expect(hasExpirable({ db: room.store.db, now: room.store.now() })).toBe(true);
    await room.store.write(({ db, now }) =>
      db.run("UPDATE outbox SET state = 'sent', due_at = :now", { now }),
    );
    await pass(room);
    expect(room.store.db.all('SELECT state FROM outbox')).toEqual([{ state: 'queued' }]);
  });
});

test('whatever time brings about may come twice', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start({ limits: { wallSeconds: 1 } });
    room.clock.advance(MINUTE);
    await pass(room);
    const turns = await room.turns(id);
    await pass(room);
    expect(await room.turns(id)).toEqual(turns);
  });
});
