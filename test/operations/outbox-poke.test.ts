/** A run that begins after its workflow has asked: what Temporal UI shows of it is not left as it was before. */
import { expect, test } from '@jest/globals';
import { nextStep } from '../../store/lifecycle/next-step.ts';
import { dueRows, markSent, postpone, queuePoke, type OutboxRow } from '../../store/outbox.ts';
import { withOperations, type Room } from './operations-fixture.ts';

const around = { homeId: 'h', attributes: [], sessionIdleMs: 1000 };
const step = (room: Room, id: string) => room.store.write((tx) => nextStep(tx, around, id));
const poke = (room: Room, id: string, afterMs?: number) =>
  room.store.write((tx) => queuePoke(tx, id, afterMs));
const rows = (room: Room) => room.store.db.all<OutboxRow>('SELECT * FROM outbox ORDER BY id');
const due = (room: Room) => dueRows(room.store.db, room.store.now(), 10);
const kinds = (found: OutboxRow[]) => found.map(({ kind }) => kind);

/** Accepted, and its workflow has asked. */
async function asked(room: Room): Promise<string> {
  const { id } = await room.start();
  expect(await step(room, id)).toMatchObject({
    step: 'run',
    details: expect.stringContaining('**pending**'),
  });
  return id;
}

test('a run that begins after its workflow asked has it ask again, when it has lasted for a while', async () => {
  await withOperations(async (room) => {
    const id = await asked(room);
    await room.host.claim(id);
    expect([kinds(rows(room)), kinds(due(room))]).toEqual([['poke'], []]);
    room.clock.advance(500);
    expect(kinds(due(room))).toEqual(['poke']);
    expect(await step(room, id)).toMatchObject({ details: expect.stringContaining('**running**') });
    expect(rows(room)).toEqual([]);
  });
});

test('nothing is sent for a run that is over by then, or that its workflow has seen begin', async () => {
  await withOperations(async (room) => {
    const short = await asked(room);
    const run = await room.host.claim(short);
    await room.host.end(run, 'done');
    expect(rows(room)).toEqual([]);
    const { id } = await room.start();
    await room.host.claim(id);
    expect(kinds(rows(room))).toEqual(['start']);
  });
});

test('what else is to be said of a run that is over is said all the same', async () => {
  await withOperations(async (room) => {
    const lost = await asked(room);
    await room.host.lose(await room.host.claim(lost));
    expect(kinds(due(room))).toEqual(['poke']);
    await step(room, lost);
    const id = await asked(room);
    const run = await room.host.claim(id);
    const [row] = rows(room);
    const later = new Date(room.clock.now().getTime() + 60_000).toISOString();
    // The engine did not take it. That may be told another thing as well.
    await room.store.write((tx) => postpone(tx, [row!.id], later));
    await room.host.end(run, 'done');
    expect(kinds(rows(room))).toEqual(['poke']);
  });
});

test('of pokes to one workflow the earliest goes, for all of them', async () => {
  await withOperations(async (room) => {
    const id = await asked(room);
    await poke(room, id, 500);
    await poke(room, id, 100);
    await poke(room, id, 900);
    expect(kinds(rows(room))).toEqual(['poke']);
    room.clock.advance(100);
    expect(kinds(due(room))).toEqual(['poke']);
    await step(room, id);
    await poke(room, id, 500);
    await poke(room, id);
    expect([rows(room).length, due(room).length]).toEqual([1, 1]);
    await poke(room, id, 500);
    expect([rows(room).length, due(room).length]).toEqual([1, 1]);
    // One that was sent is no promise for what has come about since.
    const [sent] = rows(room);
    await room.store.write((tx) => markSent(tx, [sent!.id], tx.now));
    await poke(room, id, 500);
    expect(rows(room).map(({ state }) => state)).toEqual(['sent', 'queued']);
  });
});

test('a poke that the engine did not take keeps its pause, whatever comes beside it', async () => {
  await withOperations(async (room) => {
    const id = await asked(room);
    await poke(room, id);
    const later = new Date(room.clock.now().getTime() + 60_000).toISOString();
    await room.store.write((tx) =>
      postpone(
        tx,
        rows(room).map((row) => row.id),
        later,
      ),
    );
    await poke(room, id);
    expect(rows(room).map((row) => row.due_at)).toEqual([later]);
  });
});
