import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { nameOfStart } from '../../domain/name-of-start.ts';
import { findInvocation } from '../../store/invocations.ts';
import { expire } from '../../store/lifecycle/expire.ts';
import { nextSessionStep, nextStep } from '../../store/lifecycle/next-step.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { dueRows, markSent, queuePoke, type OutboxRow } from '../../store/outbox.ts';
import { reject, repair } from '../../worker/repair.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const around = { homeId: 'h', attributes: ['OffshootStatus'], sessionIdleMs: 1000 };
const patience = { hostWaitMs: 600_000, leaseMs: 600_000, stopMs: 25_000 };
const callback = { executionMode: 'ASYNC_CALLBACK' } as const;

const step = (room: Room, id: string) => room.store.write((tx) => nextStep(tx, around, id));
const sessionStep = (room: Room, key: string) =>
  room.store.write((tx) => nextSessionStep(tx, around, 'default', key));
const rows = (room: Room) => room.store.db.all<OutboxRow>('SELECT * FROM outbox ORDER BY id');
const messages = (room: Room) =>
  rows(room).map((row) => [row.kind, row.workflow_id, row.child_invocation_id]);

test('a new session and what is accepted are rows for the engine in the same commit, for whoever asked', async () => {
  await withOperations(async (room) => {
    for (const title of ['new', 'known']) await room.ask('registerSession', { key: 'main', title });
    const root = await room.start();
    const child = await room.start({}, room.child(root.id));
    const ofSession = await room.start({ parentSessionId: 'main' });
    expect(messages(room)).toEqual([
      ['session', 'session/default/main', null],
      ['start', `subagent/${root.id}`, root.id],
      ['poke', `subagent/${root.id}`, child.id],
      ['session', 'session/default/main', ofSession.id],
    ]);
  });
});

test('a spawn is done when the child has begun, a poke when its receiver has asked', async () => {
  await withOperations(async (room) => {
    const root = await room.start();
    const child = await room.start({}, room.child(root.id));
    const first = await step(room, root.id);
    expect(first.children.map((one) => one.invocationId)).toEqual([child.id]);
    expect(messages(room)).toEqual([['poke', `subagent/${root.id}`, child.id]]);
    expect((await step(room, child.id)).step).toBe('run');
    expect(messages(room)).toEqual([]);
    expect((await step(room, root.id)).children).toEqual([]);
  });
});

test('what a session’s workflow shows of a title has no secrets', async () => {
  await withOperations(async (room) => {
    const title = 'rotate ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    await room.ask('registerSession', { key: 'main', title });
    expect((await sessionStep(room, 'main')).details).toContain('rotate [redacted GitHub token]');
  });
});

test('a workflow runs while it has a slot, waits while it has none, and is done at the end', async () => {
  await withOperations(
    async (room) => {
      const root = await room.start();
      const other = await room.start();
      expect(await step(room, root.id)).toMatchObject({ step: 'run', queue: expect.any(String) });
      expect(await step(room, other.id)).toMatchObject({ step: 'wait' });
      await room.host.play(root.id, 'the answer');
      // The end of its own run it sees by itself; the other is told that the slot is free.
      expect(rows(room).map((row) => row.target_invocation_id)).toEqual([other.id]);
      expect(await step(room, root.id)).toMatchObject({
        step: 'done',
        ending: { status: 'completed', answer: 'the answer' },
        attributes: { OffshootStatus: 'completed' },
      });
      expect(await step(room, other.id)).toMatchObject({ step: 'run' });
      expect(room.row(root.id).engine_state).toBe('closed');
    },
    { slots: 1 },
  );
});

test('an ending that no run brings about is told to its workflow', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    await step(room, id);
    await room.ask('cancelSubagent', { id });
    const kinds = rows(room).map((row) => [row.kind, row.target_invocation_id]);
    expect(kinds.toSorted()).toEqual([
      ['cancel', id],
      ['poke', id],
    ]);
    expect(await step(room, id)).toMatchObject({ step: 'done', ending: { status: 'cancelled' } });
    expect(messages(room)).toEqual([['cancel', `subagent/${id}`, null]]);
  });
});

test('an external session may rest when nothing that it asked for is open, whatever the mode', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    for (const executionMode of ['SYNC', 'ASYNC_POLL', 'ASYNC_CALLBACK'] as const) {
      const { id } = await room.start({ executionMode, parentSessionId: 'main' });
      expect(await sessionStep(room, 'main')).toMatchObject({ idleMs: null });
      await step(room, id);
      await room.host.play(id, 'done');
      // Without this message its workflow would never hear that it may rest.
      expect(rows(room).map((row) => row.kind)).toContain('session');
      expect(await sessionStep(room, 'main')).toMatchObject({ idleMs: 1000, children: [] });
    }
  });
});

test('in an engine that knows nothing, all that is open is sent again, parents first', async () => {
  await withOperations(async (room) => {
    await room.store.write((tx) => reconcileEpoch(tx, 'engine-1'));
    await room.ask('registerSession', { key: 'main' });
    const ended = await room.start();
    await room.host.play(ended.id, 'done');
    await step(room, ended.id);
    const root = await room.start();
    const child = await room.start(callback, room.child(root.id));
    const late = await room.start({ parentSessionId: 'main' });
    const grandchild = await room.start({}, room.child(child.id));
    for (const id of [root.id, child.id, late.id, grandchild.id]) await step(room, id);
    await room.host.play(root.id, 'asked');
    const early = await room.start();
    await room.host.play(early.id, 'ended before its workflow began');
    expect(await room.store.write((tx) => reconcileEpoch(tx, 'engine-1'))).toBe(0);

    expect(await room.store.write((tx) => reconcileEpoch(tx, 'engine-2'))).toBe(5);
    const [session, ...spawns] = rows(room);
    // A session that was registered while the engine was away has its workflow in the next one.
    expect(session).toMatchObject({ kind: 'session', state: 'queued', child_invocation_id: null });
    expect(spawns.map((row) => row.child_invocation_id)).toEqual([
      root.id,
      early.id,
      child.id,
      late.id,
      grandchild.id,
    ]);
    expect(room.row(root.id)).toMatchObject({ engine_state: 'unstarted', spawn_no: 1 });
    const first = await step(room, root.id);
    expect(first.children).toMatchObject([{ invocationId: child.id, spawnNo: 1 }]);
    expect(await room.store.write((tx) => reconcileEpoch(tx, 'engine-2'))).toBe(0);
  });
});

test('what is asked for anew with the key of something deleted is another start for its owner', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const caller = { ...room.admin, idempotencyKey: 'key-1' };
    const names: string[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { id } = await room.start({ parentSessionId: 'main' }, caller);
      const { children } = await sessionStep(room, 'main');
      expect(children).toMatchObject([{ invocationId: id }]);
      names.push(nameOfStart(children[0]!));
      await step(room, id);
      await room.host.play(id, 'done');
      await room.ask('deleteSubagent', { id });
    }
    // A workflow starts what it is told to start once, and knows it by this name.
    expect(new Set(names).size).toBe(2);
  });
});

test('an agent that lived while the engine was lost is attached to, not started again', async () => {
  await withOperations(async (room) => {
    await room.store.write((tx) => reconcileEpoch(tx, 'engine-1'));
    const { id } = await room.start();
    const run = await room.host.claim(id);
    await room.store.write((tx) => reconcileEpoch(tx, 'engine-2'));
    expect(await step(room, id)).toMatchObject({ step: 'run' });
    expect(await room.host.tryClaim(id)).toEqual({ kind: 'attach', runNo: run.runNo });
    await room.host.end(run, 'alive');
    expect((await room.get(id)).status).toBe('completed');
  });
});

const groupFor = (room: Room, id: string) =>
  rows(room).filter((row) => row.target_invocation_id === id);

test('a message to a workflow that is gone although its work is not asks for it again', async () => {
  await withOperations(async (room) => {
    const root = await room.start();
    await step(room, root.id);
    const child = await room.start({}, room.child(root.id));
    const group = groupFor(room, root.id);
    const before = findInvocation(room.store.db, root.id);
    const kept = await room.store.write((tx) => repair(tx, group, before));
    expect(kept).toEqual(group.map((row) => row.id));
    expect(messages(room)).toEqual([
      ['poke', `subagent/${root.id}`, child.id],
      ['start', `subagent/${root.id}`, root.id],
    ]);
  });
});

test('a child whose owner has ended and closed begins as a root, its parent still on record', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    await step(room, run.invocationId);
    const child = await room.start({}, room.child(run.invocationId));
    await room.host.end(run, 'done');
    const group = groupFor(room, run.invocationId);
    const before = findInvocation(room.store.db, run.invocationId);
    expect(await room.store.write((tx) => repair(tx, group, before))).toEqual([]);
    expect(messages(room)).toEqual([['start', `subagent/${child.id}`, child.id]]);
    expect((await room.get(child.id)).parentSessionId).toBe(run.sessionKey);
  });
});

test('what the engine will never take ends as such, is told, and blocks nothing behind it', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const one = await room.start({ ...callback, parentSessionId: 'main' });
    const two = await room.start();
    const first = rows(room).find((row) => row.child_invocation_id === one.id);
    await room.store.write((tx) => reject(tx, [first!], 'too big'));
    expect(await room.get(one.id)).toMatchObject({
      status: 'failed',
      errorCode: 'engine_rejected',
      error: expect.stringContaining('too big'),
    });
    expect(await room.callbacks('main')).toMatchObject([{ status: 'failed' }]);
    const due = dueRows(room.store.db, room.store.now(), 10);
    expect(due.map((row) => row.child_invocation_id)).toContain(two.id);
  });
});

test('a root that ends before its workflow began gets one, which begins its children and closes', async () => {
  await withOperations(async (room) => {
    const run = await room.host.claim((await room.start()).id);
    const child = await room.start({}, room.child(run.invocationId));
    const poke = groupFor(room, run.invocationId).filter(({ kind }) => kind === 'poke');
    const grandchild = await room.start({}, room.child(child.id));
    await room.host.play(grandchild.id, 'first');
    await room.host.play(child.id, 'second');
    await room.host.end(run, 'third');
    // A message that finds it missing waits behind its start.
    const ended = findInvocation(room.store.db, run.invocationId);
    expect(await room.store.write((tx) => repair(tx, poke, ended))).toEqual([poke[0]!.id]);
    expect(messages(room)).toEqual([
      ['start', `subagent/${run.invocationId}`, run.invocationId],
      ['poke', `subagent/${run.invocationId}`, child.id],
      ['poke', `subagent/${child.id}`, grandchild.id],
    ]);
    for (const [id, below] of [
      [run.invocationId, [child.id]],
      [child.id, [grandchild.id]],
      [grandchild.id, []],
    ] as const) {
      const told = await step(room, id);
      expect(told).toMatchObject({ step: 'done', ending: { status: 'completed' } });
      expect(told.children.map(({ invocationId }) => invocationId)).toEqual(below);
    }
    expect(messages(room)).toEqual([]);
  });
});

test('what is cancelled before its workflow began gets one all the same, which is cancelled, too', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const { id } = await room.start({ parentSessionId: 'main' });
    await room.ask('cancelSubagent', { id });
    expect(messages(room)).toContainEqual(['cancel', `subagent/${id}`, null]);
    expect((await sessionStep(room, 'main')).children).toMatchObject([{ invocationId: id }]);
    expect(await step(room, id)).toMatchObject({ step: 'done', ending: { status: 'cancelled' } });
    // As long as it waits for that request.
    expect(room.row(id).engine_state).toBe('open');
    expect((await sessionStep(room, 'main')).children).toEqual([]);
    expect(messages(room)).toEqual([['cancel', `subagent/${id}`, null]]);
  });
});

test('what the engine refuses while it runs is ended: its host is told, and nobody starts it any more', async () => {
  await withOperations(async (room) => {
    await room.ask('registerSession', { key: 'main' });
    const run = await room.host.claim((await room.start({ parentSessionId: 'main' })).id);
    const told: string[] = [];
    room.store.changes.listen(({ kind }) => void told.push(kind));
    await room.store.write((tx) => reject(tx, rows(room), 'too big'));
    await nextTurn();
    expect(told).toContain('orders');
    const stop = { invocationId: run.invocationId, runNo: 1, reason: 'not_yours' };
    expect((await room.host.sync([run])).stop).toEqual([stop]);
    expect((await room.get(run.invocationId)).errorCode).toBe('engine_rejected');
    expect((await sessionStep(room, 'main')).children).toEqual([]);
    await room.host.end(run, 'late');
    expect((await room.get(run.invocationId)).status).toBe('failed');
  });
});

test('a poke does not rely on the spawn of a child, which may be over before it is sent', async () => {
  await withOperations(
    async (room) => {
      const root = await room.start();
      await step(room, root.id);
      const child = await room.start({}, room.child(root.id));
      await room.store.write((tx) => queuePoke(tx, root.id));
      await room.ask('cancelSubagent', { id: child.id });
      expect(messages(room)).toContainEqual(['poke', `subagent/${root.id}`, null]);
    },
    { isHostUp: false },
  );
});

test('a child that its owner has started without effect is started again, under another number', async () => {
  await withOperations(async (room) => {
    const root = await room.start();
    await step(room, root.id);
    const child = await room.start({}, room.child(root.id));
    const spawnNo = async () => (await step(room, root.id)).children.map((one) => one.spawnNo);
    const look = () => room.store.write((tx) => expire(tx, patience));
    const sent = new Date(room.clock.now().getTime() + limits.resendMs).toISOString();
    const ids = dueRows(room.store.db, room.store.now(), 10).map(({ id }) => id);
    await room.store.write((tx) => markSent(tx, ids, sent));
    await look();
    expect(await spawnNo()).toEqual([0]);
    // Its workflow may have been terminated by hand before it could ask for anything.
    room.clock.advance(limits.resendMs);
    await look();
    expect(messages(room)).toEqual([['poke', `subagent/${root.id}`, child.id]]);
    expect(await spawnNo()).toEqual([1]);
    await step(room, child.id);
    expect([rows(room), await spawnNo()]).toEqual([[], []]);
  });
});
