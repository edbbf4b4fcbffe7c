import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { failed } from './test-host.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const callback = { executionMode: 'ASYNC_CALLBACK' } as const;

const told = async (room: Room, id: string) =>
  (await room.turns(id))
    .filter((turn) => turn.role === 'callback')
    .map((turn) => /invocation="([^"]+)"/.exec(turn.text)![1]);

test('a parent that has ended its turn waits, without process and slot, and then hears', async () => {
  await withOperations(
    async (room) => {
      const { id: parent } = await room.start();
      const spec = await room.host.claim(parent);
      const { id: child } = await room.start(callback, room.child(parent));
      await room.host.end(spec, 'asked');
      const waiting = await room.get(parent);
      expect(waiting).toMatchObject({ status: 'waiting', result: null });
      expect(waiting.pendingReason).toBe('waits for 1 open children');
      expect(room.row(parent).host_id).toBeNull();

      await room.host.play(child, 'blue');
      const second = await room.host.claim(parent);
      expect(second).toMatchObject({ turn: 2, runNo: 2 });
      expect(second.prompt).toContain(`invocation="${child}"`);
      expect(second.prompt).toContain('\nblue\n');
      await room.host.end(second, 'it is blue');
      expect(await room.get(parent)).toMatchObject({
        status: 'completed',
        result: { content: 'it is blue' },
      });
    },
    { slots: 1 },
  );
});

test('five children, three ending together and then two, are seen once each and in that order', async () => {
  await withOperations(
    async (room) => {
      const { id: parent } = await room.start();
      const spec = await room.host.claim(parent);
      const ids: string[] = [];
      while (ids.length < 5) ids.push((await room.start(callback, room.child(parent))).id);
      const [a, b, c, d, e] = ids as [string, string, string, string, string];
      // While the parent works, what ends is kept for its next turn.
      await Promise.all([c, a, e].map((id) => room.host.play(id, `from ${id}`)));
      expect((await room.callbacks(spec.sessionKey)).map((one) => one.state)).toEqual(
        Array(3).fill('queued'),
      );
      await room.host.end(spec, 'asked');
      const second = await room.host.claim(parent);
      expect(second.prompt).toMatch(/^3 sub-agents/);
      await room.host.play(d, 'from d');
      await room.host.play(b, 'from b');
      await room.host.end(second, 'three so far');
      const third = await room.host.claim(parent);
      expect(third.prompt).toMatch(/^2 sub-agents/);
      await room.host.end(third, 'all five');

      const order = room.store.db
        .all<{ id: string }>('SELECT invocation_id AS id FROM mailbox ORDER BY seq')
        .map((row) => row.id);
      expect(await told(room, parent)).toEqual(order);
      expect(order.toSorted()).toEqual(ids.toSorted());
      expect(order.slice(3)).toEqual([d, b]);
      expect((await room.get(parent)).result?.content).toBe('all five');
    },
    { slots: 8 },
  );
});

test('a runner that takes its prompt as an argument reads only as many callbacks at once as fit', async () => {
  await withOperations(
    async (room) => {
      const { id: parent } = await room.start({ runnerId: 'narrow' });
      let spec = await room.host.claim(parent);
      const ids: string[] = [];
      while (ids.length < 8) ids.push((await room.start(callback, room.child(parent))).id);
      for (const id of ids) await room.host.play(id, '<"é">'.repeat(8000));
      await room.host.end(spec, 'asked');
      const turns: number[] = [];
      while ((await room.get(parent)).status !== 'completed') {
        const before = (await told(room, parent)).length;
        spec = await room.host.claim(parent);
        expect(Buffer.byteLength(spec.prompt)).toBeLessThanOrEqual(limits.argvPromptBytesMax);
        turns.push((await told(room, parent)).length - before);
        await room.host.end(spec, `${turns.length}`);
      }
      expect(turns).toEqual([6, 2]);
      expect(await told(room, parent)).toEqual(ids);
    },
    { slots: 8 },
  );
});

test('a grandparent is told once, after its child has dealt with its own, with the final answer', async () => {
  await withOperations(async (room) => {
    const top = await room.host.claim((await room.start()).id);
    const middle = await room.start(callback, room.child(top.invocationId));
    const middleRun = await room.host.claim(middle.id);
    const bottom = await room.start(callback, room.child(middle.id));
    await room.host.end(top, 'asked');
    await room.host.end(middleRun, 'a first word, not the answer');
    expect(await room.callbacks(top.sessionKey)).toEqual([]);
    await room.host.play(bottom.id, 'deep');
    await room.host.play(middle.id, 'the final answer');
    const [only, ...more] = await room.callbacks(top.sessionKey);
    expect(more).toEqual([]);
    expect(only!.envelope).toContain('the final answer');
    expect(only!.envelope).not.toContain('a first word');
    expect((await room.host.play(top.invocationId, 'thanks')).prompt).toContain('the final answer');
    expect(await told(room, top.invocationId)).toEqual([middle.id]);
    expect((await room.get(top.invocationId)).status).toBe('completed');
  });
});

test('SYNC and ASYNC_POLL children send no callback', async () => {
  await withOperations(async (room) => {
    const spec = await room.host.claim((await room.start()).id);
    const caller = room.child(spec.invocationId);
    const poll = await room.start({ executionMode: 'ASYNC_POLL' }, caller);
    const sync = await room.start({ executionMode: 'SYNC' }, caller);
    await room.host.play(poll.id, 'x');
    await room.host.play(sync.id, 'y');
    await room.host.end(spec, 'done');
    expect((await room.get(spec.invocationId)).status).toBe('completed');
    expect(await room.callbacks(spec.sessionKey)).toEqual([]);
  });
});

test('every ending is told: completed, failed, cancelled, timed out, cancelled before it began', async () => {
  await withOperations(
    async (room) => {
      await room.ask('registerSession', { key: 'main' });
      const ids: string[] = [];
      while (ids.length < 5) {
        ids.push((await room.start({ ...callback, parentSessionId: 'main' })).id);
      }
      const [done, broken, stopped, late, never] = ids as [string, string, string, string, string];
      await room.host.play(done, 'x');
      await room.host.play(broken, failed('exit 3'));
      const run = await room.host.claim(stopped);
      await room.ask('cancelSubagent', { id: stopped, reason: 'not needed' });
      await room.host.end(run, failed('killed'));
      await room.host.play(late, { ...failed('30 min'), kind: 'timed_out' });
      await room.ask('cancelSubagent', { id: never });
      const callbacks = await room.callbacks('main');
      expect(callbacks.map((one) => [one.invocationId, one.status])).toEqual([
        [done, 'completed'],
        [broken, 'failed'],
        [stopped, 'cancelled'],
        [late, 'timed_out'],
        [never, 'cancelled'],
      ]);
      expect(callbacks[1]!.envelope).toContain('Error: exit 3');
      expect(callbacks[2]!.envelope).toContain('Error: not needed');
    },
    { slots: 1 },
  );
});

test('a turn that fails after callbacks were handed to it leaves them undelivered', async () => {
  await withOperations(async (room) => {
    const spec = await room.host.claim((await room.start()).id);
    const { id: child } = await room.start(callback, room.child(spec.invocationId));
    await room.host.end(spec, 'asked');
    await room.host.play(child, 'blue');
    await room.host.play(spec.invocationId, failed('cannot read'));
    expect(await room.get(spec.invocationId)).toMatchObject({ status: 'failed' });
    expect(await room.callbacks(spec.sessionKey)).toMatchObject([{ state: 'undelivered' }]);
  });
});

test('a failing turn without a word of its own does not take back what was said before', async () => {
  await withOperations(async (room) => {
    const spec = await room.host.claim((await room.start()).id);
    const { id: child } = await room.start(callback, room.child(spec.invocationId));
    await room.host.end(spec, 'so far so good');
    await room.host.play(child, 'blue');
    await room.host.play(spec.invocationId, failed('cannot read'));
    expect((await room.get(spec.invocationId)).result?.content).toBe('so far so good');
  });
});

test('more callbacks than one turn takes come in the next, and none is left behind', async () => {
  await withOperations(
    async (room) => {
      const spec = await room.host.claim((await room.start()).id);
      for (let n = 0; n < 60; n += 1) {
        const { id } = await room.start(callback, room.child(spec.invocationId));
        await room.host.play(id, 'x');
      }
      await room.host.end(spec, 'asked');
      expect((await room.host.play(spec.invocationId, 'a')).prompt).toMatch(/^50 sub-agents/);
      expect((await room.host.play(spec.invocationId, 'b')).prompt).toMatch(/^10 sub-agents/);
      expect((await room.get(spec.invocationId)).status).toBe('completed');
      expect(new Set(await told(room, spec.invocationId)).size).toBe(60);
    },
    { slots: 8, limits: { maxChildren: 100 } },
  );
});

test('what is acknowledged while it waits for its turn starts no turn without a word in it', async () => {
  await withOperations(
    async (room) => {
      const spec = await room.host.claim((await room.start()).id);
      const { id: child } = await room.start(callback, room.child(spec.invocationId));
      await room.host.end(spec, 'asked');
      await room.host.play(child, 'blue');
      const [one] = await room.callbacks(spec.sessionKey);
      await room.ask('ackCallbacks', { key: spec.sessionKey, ids: [one!.id] });
      expect(await room.host.tryClaim(spec.invocationId)).toMatchObject({ kind: 'nothing' });
      expect(await room.get(spec.invocationId)).toMatchObject({
        status: 'completed',
        result: { content: 'asked' },
      });
      expect(await told(room, spec.invocationId)).toEqual([child]);
      expect(room.row(spec.invocationId).host_id).toBeNull();
    },
    { slots: 1 },
  );
});

test('acknowledging what a run is reading does not take it from the run that must repeat it', async () => {
  await withOperations(async (room) => {
    const spec = await room.host.claim((await room.start({ runnerId: 'again' })).id);
    const { id: child } = await room.start(callback, room.child(spec.invocationId));
    await room.host.end(spec, 'asked');
    await room.host.play(child, 'blue');
    const second = await room.host.claim(spec.invocationId);
    const [one] = await room.callbacks(spec.sessionKey);
    await room.ask('ackCallbacks', { key: spec.sessionKey, ids: [one!.id] });
    await room.host.lose(second);
    expect((await room.host.play(spec.invocationId, 'read')).prompt).toBe(second.prompt);
    expect(await room.callbacks(spec.sessionKey)).toMatchObject([{ state: 'delivered' }]);
  });
});
