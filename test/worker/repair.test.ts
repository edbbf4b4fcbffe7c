import { expect, test } from '@jest/globals';
import { nextStep } from '../../store/lifecycle/next-step.ts';
import { dueRows } from '../../store/outbox.ts';
import { repair } from '../../worker/repair.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';

const around = { homeId: 'home', attributes: [], sessionIdleMs: 1000 };

/** A parent, its child, and the message to the child that it has a child of its own. */
async function grow(room: Room) {
  const mode = { executionMode: 'ASYNC_CALLBACK' } as const;
  const parent = await room.start();
  const child = await room.start(mode, room.child(parent.id));
  await room.start(mode, room.child(child.id));
  const rows = dueRows(room.store.db, room.store.now(), 100).filter(
    (row) => row.target_invocation_id === child.id,
  );
  expect(rows).toHaveLength(1);
  const spawns = () =>
    room.store.db.all('SELECT 1 FROM outbox WHERE child_invocation_id = :id', { id: child.id });
  return { child, rows, spawns };
}

test('a workflow that begins while a message to it fails is not taken for lost', async () => {
  await withOperations(async (room) => {
    const { child, rows, spawns } = await grow(room);
    const before = room.row(child.id);
    await room.store.write((tx) => nextStep(tx, around, child.id));
    const left = await room.store.write((tx) => repair(tx, rows, before));
    expect(left).toEqual(rows.map(({ id }) => id));
    expect(room.row(child.id)).toMatchObject({ engine_state: 'open', spawn_no: before.spawn_no });
    expect(spawns()).toEqual([]);
  });
});

test('a workflow that is still to begin is waited for, and its start is asked for if nobody has', async () => {
  await withOperations(async (room) => {
    const { child, rows, spawns } = await grow(room);
    const before = room.row(child.id);
    await room.store.write((tx) => repair(tx, rows, before));
    expect(spawns()).toHaveLength(1);
    expect(room.row(child.id).spawn_no).toBe(before.spawn_no);
  });
});

test('a workflow that had begun and is not there is asked for anew, under another number', async () => {
  await withOperations(async (room) => {
    const { child, rows, spawns } = await grow(room);
    await room.store.write((tx) => nextStep(tx, around, child.id));
    const before = room.row(child.id);
    await room.store.write((tx) => repair(tx, rows, before));
    expect(room.row(child.id)).toMatchObject({
      engine_state: 'unstarted',
      spawn_no: before.spawn_no + 1,
    });
    expect(spawns()).toHaveLength(1);
  });
});
