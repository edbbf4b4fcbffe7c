import { expect, test } from '@jest/globals';
import { admitNext } from '../../store/admission.ts';
import { beginWait } from '../../store/waits.ts';
import { createHost } from './test-host.ts';
import { withOperations, type Room } from './operations-fixture.ts';
import type { Caller } from '../../operations/caller.ts';

const admitted = (room: Room, ids: string[]) => ids.filter((id) => room.row(id).host_id !== null);
const started = async (room: Room, count: number) => {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await room.start()).id);
  return ids;
};

test('as many run as there are slots, and the rest follow first come, first served', async () => {
  await withOperations(
    async (room) => {
      const ids = await started(room, 5);
      for (let turn = 0; turn < 5; turn += 1) {
        expect(admitted(room, ids)).toEqual(ids.slice(turn, turn + 2));
        await room.host.play(ids[turn]!, 'done');
      }
    },
    { slots: 2 },
  );
});

test('eight under four slots: never more than four at once, and all end', async () => {
  await withOperations(async (room) => {
    const work = room.host.work(async () => 'done');
    const records = await Promise.all(
      Array.from({ length: 8 }, () => room.start({ executionMode: 'SYNC', waitSeconds: 10 })),
    );
    await work.stop();
    expect(records.map((record) => record.status)).toEqual(Array(8).fill('completed'));
    expect(work.peak()).toBeLessThanOrEqual(4);
  });
});

test('the order outlives a restart of the host', async () => {
  await withOperations(
    async (room) => {
      const ids = await started(room, 4);
      const next = createHost(room.deps, 'local', 'boot-2');
      await next.hello(1);
      for (const id of ids) await next.play(id, 'done');
      expect(ids.map((id) => room.row(id).status)).toEqual(Array(4).fill('completed'));
    },
    { slots: 1 },
  );
});

test('descendants go before roots that came earlier', async () => {
  await withOperations(
    async (room) => {
      const [parent, other] = (await started(room, 2)) as [string, string];
      const child = await room.start({}, room.child(parent));
      await room.host.play(parent, 'done');
      expect(admitted(room, [other, child.id])).toEqual([child.id]);
      await room.host.play(child.id, 'done');
      expect(admitted(room, [other])).toEqual([other]);
    },
    { slots: 1 },
  );
});

/** The ways in which an agent of ours may say that it is the one who asks. */
const askers: [string, (room: Room, id: string) => Caller, (room: Room, id: string) => object][] = [
  ['its token', (room, id) => room.child(id), () => ({})],
  ['a header beside another token', (room, id) => room.headed(id), () => ({})],
  [
    'the request',
    (room) => room.admin,
    (room, id) => ({ parentSessionId: room.row(id).session_key }),
  ],
];

test.each(askers)(
  'with one slot a chain of SYNC calls of depth five comes to its end; the parent named by %s',
  async (_, callerOf, named) => {
    await withOperations(
      async (room) => {
        const work = room.host.work(async (spec) => {
          if (spec.depth === 5) return 'bottom';
          const below = await room.ask(
            'runSubagent',
            { runnerId: 'talk', prompt: 'deeper', ...named(room, spec.invocationId) },
            callerOf(room, spec.invocationId),
          );
          return `${spec.depth} ${below.result?.content}`;
        });
        const root = await room.ask('runSubagent', { runnerId: 'talk', prompt: 'go' });
        await work.stop();
        expect(root.result?.content).toBe('0 1 2 3 4 bottom');
        expect(work.peak()).toBe(1);
        expect(room.count('waits')).toBe(0);
      },
      { slots: 1 },
    );
  },
);

test('a SYNC child takes over the slot of its parent in the accepting transaction', async () => {
  await withOperations(
    async (room) => {
      const [parent, other] = (await started(room, 2)) as [string, string];
      await room.host.claim(parent);
      // A descendant that came earlier: by the queue alone it would be next.
      const { id: earlier } = await room.start({}, room.child(parent));
      const asked = { executionMode: 'SYNC', waitSeconds: 5 } as const;
      const call = room.start(asked, room.child(parent));
      const child = await room.childOf(parent, 1);
      expect(admitted(room, [other, earlier, child])).toEqual([child]);
      await room.host.play(child, 'done');
      // The slot goes back to the waiter before anybody else is let in.
      expect(admitted(room, [other, earlier])).toEqual([]);
      expect((await call).status).toBe('completed');
      await room.host.end({ invocationId: parent, runNo: 1 }, 'done');
      expect(admitted(room, [other, earlier])).toEqual([earlier]);
    },
    { slots: 1 },
  );
});

test('who has waited long enough goes on at once, and lends nothing until the slots are enough again', async () => {
  await withOperations(
    async (room) => {
      const [parent, other] = (await started(room, 2)) as [string, string];
      await room.host.claim(parent);
      const brief = { executionMode: 'SYNC', waitSeconds: 0.01 } as const;
      // One slot, taken over by the first child; when the wait is over, parent and child both work.
      const first = (await room.start(brief, room.child(parent))).id;
      const second = (await room.start(brief, room.child(parent))).id;
      expect(admitted(room, [first, second, other])).toEqual([first]);
      // Standing still for the second, its own slot is where the first works: so that one has to end.
      const call = room.start({ ...brief, waitSeconds: 5 }, room.child(parent));
      const third = await room.childOf(parent, 2);
      expect(admitted(room, [first, second, third, other])).toEqual([first]);
      await room.host.play(first, 'done');
      expect(admitted(room, [second, third, other])).toEqual([second]);
      await room.host.play(second, 'done');
      await room.host.play(third, 'done');
      expect((await call).status).toBe('completed');
      expect(admitted(room, [other])).toEqual([]);
      await room.host.end({ invocationId: parent, runNo: 1 }, 'done');
      expect(admitted(room, [other])).toEqual([other]);
    },
    { slots: 1 },
  );
});

test('a host never holds more processes than its ceiling', async () => {
  await withOperations(
    async (room) => {
      const work = room.host.work(async (spec) => {
        if (spec.depth > 0) return 'child';
        const caller = room.child(spec.invocationId);
        const calls = Array.from({ length: 6 }, () =>
          room.ask('runSubagent', { runnerId: 'talk', prompt: 'x' }, caller),
        );
        const ended = await Promise.all(calls);
        return `${ended.filter((child) => child.status === 'completed').length}`;
      });
      const held = () =>
        room.store.db.get<{ n: number }>(
          'SELECT count(*) AS n FROM subagent_sessions WHERE host_id IS NOT NULL',
        )!.n;
      let most = 0;
      const watching = setInterval(() => (most = Math.max(most, held())), 1);
      const roots = await Promise.all(
        Array.from({ length: 3 }, () => room.ask('runSubagent', { runnerId: 'talk', prompt: 'x' })),
      );
      clearInterval(watching);
      await work.stop();
      expect(roots.map((root) => root.result?.content)).toEqual(['6', '6', '6']);
      expect(most).toBeLessThanOrEqual(4);
    },
    { slots: 2, limits: { maxDepth: 1 } },
  );
});

test('a process that stands still lends its slot, and counts for the ceiling all the same', async () => {
  await withOperations(
    async (room) => {
      const ids = await started(room, 4);
      const block = (id: string) =>
        room.store.write((tx) => {
          beginWait(tx, { waitId: id, waiterId: id, ids: [ids[3]!], until: 'all' });
          admitNext(tx);
        });
      expect(admitted(room, ids)).toEqual([ids[0]]);
      await block(ids[0]!);
      expect(admitted(room, ids)).toEqual([ids[0], ids[1]]);
      await block(ids[1]!);
      expect(admitted(room, ids)).toEqual([ids[0], ids[1]]);
    },
    { slots: 1, limits: { maxDepth: 1 } },
  );
});

test('a slot is free again after an ending of every kind', async () => {
  await withOperations(
    async (room) => {
      const ids = await started(room, 5);
      await room.host.play(ids[0]!, 'done');
      await room.host.lose(await room.host.claim(ids[1]!));
      await room.ask('cancelSubagent', { id: ids[2]! });
      const spec = await room.host.claim(ids[3]!);
      await room.ask('cancelSubagent', { id: ids[3]! });
      expect(admitted(room, ids)).toEqual([ids[3]]);
      await room.host.end(spec, 'too late');
      expect(admitted(room, ids)).toEqual([ids[4]]);
    },
    { slots: 1 },
  );
});

test('a draining host and a silent one get nothing new', async () => {
  await withOperations(async (room) => {
    await room.host.sync([], true);
    const [first] = (await started(room, 1)) as [string];
    expect(admitted(room, [first])).toEqual([]);
    await room.host.sync();
    expect(admitted(room, [first])).toEqual([first]);
    // Silence is fifteen seconds, and no less.
    room.clock.advance(14_000);
    const [heard] = (await started(room, 1)) as [string];
    expect(admitted(room, [heard])).toEqual([heard]);
    room.clock.advance(2_000);
    const [second] = (await started(room, 1)) as [string];
    expect(admitted(room, [second])).toEqual([]);
    expect((await room.get(second)).pendingReason).toBe('no runner host is up');
    await room.host.sync();
    expect(admitted(room, [second])).toEqual([second]);
  });
});

test('a record says why it does not run yet', async () => {
  await withOperations(
    async (room) => {
      const ids = await started(room, 3);
      const reasons = [];
      for (const id of ids) reasons.push((await room.get(id)).pendingReason);
      expect(reasons).toEqual([
        'starting',
        'no free slot: 0 before it',
        'no free slot: 1 before it',
      ]);
      // Nobody waits for the engine: the host that gave the slot begins without it.
      const engine = room.deps.engine();
      room.deps.engine = () => ({ ...engine, connected: false });
      expect((await room.get(ids[0]!)).pendingReason).toBe('starting');
    },
    { slots: 1 },
  );
});
