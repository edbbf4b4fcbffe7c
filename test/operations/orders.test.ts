import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { RunKey } from '../../contract/store-api.ts';
import { hostHandlers } from '../../operations/index.ts';
import { openStore } from '../../store/index.ts';
import { nextStep } from '../../store/lifecycle/next-step.ts';
import { withOperations, type Room } from './operations-fixture.ts';
import { createHost } from './test-host.ts';

const around = { homeId: 'home', attributes: [], sessionIdleMs: 1 };
const begin = (room: Room, id: string) => room.store.write((tx) => nextStep(tx, around, id));
const here = { hostId: 'local', bootId: 'boot-1', draining: false };

/** The local host's long poll, held open. */
const poll = (room: Room, told: { runs?: RunKey[]; heard?: RunKey[] } = {}, waitSeconds = 5) =>
  hostHandlers.sync(room.deps, new AbortController().signal, {
    ...{ ...here, waitSeconds, runs: [], heard: [] },
    ...told,
  });

/** As a host does: what was committed before may wake it for nothing, and then it asks again. */
async function untilTold(room: Room, told: { runs?: RunKey[]; heard?: RunKey[] }) {
  for (;;) {
    const answer = await poll(room, told);
    if (answer.start.length + answer.stop.length > 0) return answer;
  }
}

test('each host is told what it has got a slot for, before any workflow has begun; one that drains is not', async () => {
  await withOperations(
    async (room) => {
      const box = createHost(room.deps, 'box', 'boot-box');
      expect(await box.hello(1)).toMatchObject({ queue: null });
      expect(await room.host.hello(1)).toMatchObject({ queue: expect.stringContaining('local') });
      const ids = [(await room.start()).id, (await room.start()).id];
      const hostOf = (id: string) => room.row(id).host_id;
      expect(ids.map(hostOf).toSorted()).toEqual(['box', 'local']);
      for (const host of [box, room.host]) {
        const mine = ids.find((id) => hostOf(id) === host.id)!;
        expect((await host.sync()).start).toEqual([{ invocationId: mine, runNo: 1 }]);
      }
      // The workflow says the same when it comes: where its lease is to be taken.
      const remote = ids.find((id) => hostOf(id) === 'box')!;
      expect(await begin(room, remote)).toMatchObject({ queue: 'offshoot-home-control' });
      for (const host of [box, room.host]) {
        expect((await host.sync([], true)).start).toEqual([]);
      }
    },
    { slots: 1 },
  );
});

test('a poll that is open is answered by the accepting transaction, and by that which wakes a parent', async () => {
  await withOperations(async (room) => {
    const first = poll(room);
    const parent = await room.start();
    expect((await first).start).toEqual([{ invocationId: parent.id, runNo: 1 }]);
    const run = await room.host.claim(parent.id);
    const child = await room.start({ executionMode: 'ASYNC_CALLBACK' }, room.child(parent.id));
    const childRun = await room.host.claim(child.id);
    await room.host.end(run, 'asked');
    const second = untilTold(room, { runs: [childRun] });
    await room.host.end(childRun, 'done');
    expect((await second).start).toEqual([{ invocationId: parent.id, runNo: 2 }]);
  });
});

test('what a host is about is not told again, but the next run of the same invocation is', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const order = { invocationId: id, runNo: 1 };
    expect((await poll(room, { heard: [order] }, 0)).start).toEqual([]);
    const open = untilTold(room, { heard: [order] });
    // Its claim came through, and no process was started for it.
    await room.host.lose(await room.host.claim(id), false);
    expect((await open).start).toEqual([{ invocationId: id, runNo: 2 }]);
    const run = await room.host.claim(id);
    await room.ask('cancelSubagent', { id });
    const stop = { invocationId: id, runNo: 2, reason: 'cancelled' };
    expect(await poll(room, { runs: [run] }, 0)).toMatchObject({ start: [], stop: [stop] });
    expect(await poll(room, { runs: [run], heard: [run] }, 0)).toMatchObject({ stop: [] });
  });
});

test('what was told and not done is told again with each new poll', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const order = { invocationId: id, runNo: 1 };
    expect((await poll(room)).start).toEqual([order]);
    expect((await poll(room)).start).toEqual([order]);
  });
});

test('a poll from before a run began is answered when that run is cancelled: the next one names it', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const open = poll(room, { heard: [{ invocationId: id, runNo: 1 }] }, 60);
    const run = await room.host.claim(id);
    await room.ask('cancelSubagent', { id });
    expect(await open).toMatchObject({ start: [], stop: [] });
    const stop = { invocationId: id, runNo: 1, reason: 'cancelled' };
    expect((await poll(room, { runs: [run] }, 60)).stop).toEqual([stop]);
  });
});

test('a claim whose answer went astray is asked for again, and a run that the host knows is not', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const run = await room.host.claim(id);
    expect((await room.host.sync()).start).toEqual([{ invocationId: id, runNo: 1 }]);
    expect((await room.host.sync([run])).start).toEqual([]);
  });
});

test('a claim whose answer went astray as the server went away is asked for again when it is back, however late', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const run = await room.host.claim(id);
    room.clock.advance(60_000);
    expect((await room.host.sync()).start).toEqual([{ invocationId: id, runNo: 1 }]);
    // While it is being claimed, which the host says, nothing else is decided.
    room.clock.advance(2000);
    await poll(room, { heard: [run] }, 0);
    expect(await room.host.tryClaim(id)).toEqual({ kind: 'attach', runNo: 1 });
    await room.host.lose(run, false);
    await room.host.play(id, 'done');
    expect(await room.get(id)).toMatchObject({ status: 'completed' });
  });
});

test('a claim is asked for again for as long as one may take after an absence: the first answer may be lost, too', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const run = await room.host.claim(id);
    const order = { invocationId: id, runNo: 1 };
    for (let absence = 0; absence < 2; absence += 1) {
      room.clock.advance(60_000);
      // At once, a while later, and when the claim that this brought about has got no answer either.
      expect((await room.host.sync()).start).toEqual([order]);
      room.clock.advance(2000);
      expect((await room.host.sync()).start).toEqual([order]);
      // Its host waits 15 s for that.
      for (let polls = 0; polls < 3; polls += 1) {
        room.clock.advance(5000);
        await poll(room, { heard: [run] }, 0);
      }
      room.clock.advance(5000);
      expect((await room.host.sync()).start).toEqual([order]);
    }
    expect(await room.host.tryClaim(id)).toEqual({ kind: 'attach', runNo: 1 });
    await room.host.lose(run, false);
    expect((await room.host.play(id, 'done')).runNo).toBe(2);
    expect(await room.get(id)).toMatchObject({ status: 'completed' });
  });
});

test('a claim is asked for again by each server that comes back, however short it was away', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.claim(id);
    for (let time = 0; time < 4; time += 1) {
      room.clock.advance(limits.hostSilentMs / 2);
      const back = openStore(room.deps.paths.database, {
        clock: room.clock.now,
        checkpoints: false,
      });
      room.deps.store = back;
      expect((await room.host.sync()).start).toEqual([{ invocationId: id, runNo: 1 }]);
      await back.close();
    }
    room.deps.store = room.store;
  });
});

test('after an absence, too, a run that its host does not know of in time is lost', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.claim(id);
    room.clock.advance(60_000);
    for (let second = 0; second <= limits.claimAnswerMs / 1000; second += 5) {
      await room.host.sync();
      expect((await room.get(id)).status).toBe('running');
      room.clock.advance(5000);
    }
    await room.host.sync();
    expect(await room.get(id)).toMatchObject({ status: 'failed', errorCode: 'outcome_unknown' });
  });
});

test('a run of which a host in contact does not know for longer than a claim may take is lost', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await room.host.claim(id);
    for (let second = 0; second < 25; second += 5) {
      await room.host.sync();
      expect((await room.get(id)).status).toBe('running');
      room.clock.advance(5000);
    }
    await room.host.sync();
    expect(await room.get(id)).toMatchObject({ status: 'failed', errorCode: 'outcome_unknown' });
  });
});

test('after a clock was set back, a run that its host does not know of is lost in the same time', async () => {
  await withOperations(async (room) => {
    room.clock.advance(-3_600_000);
    const { id } = await room.start();
    await room.host.claim(id);
    for (let second = 0; second <= limits.claimAnswerMs / 1000; second += 5) {
      await room.host.sync();
      expect((await room.get(id)).status).toBe('running');
      room.clock.advance(5000);
    }
    await room.host.sync();
    expect((await room.get(id)).errorCode).toBe('outcome_unknown');
  });
});

test('polls that follow each other closely write the presence of their host once in a second', async () => {
  await withOperations(async (room) => {
    const seen = () =>
      room.store.db.get<{ at: string }>(`SELECT last_seen_at AS at FROM hosts WHERE id = 'local'`)!
        .at;
    const first = seen();
    room.clock.advance(900);
    await room.host.sync();
    expect(seen()).toBe(first);
    room.clock.advance(200);
    await room.host.sync();
    expect(Date.parse(seen()) - Date.parse(first)).toBeGreaterThanOrEqual(1100);
  });
});
