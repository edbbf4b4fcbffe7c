import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { AppError } from '../../contract/errors.ts';
import type { Write } from '../../store/index.ts';
import { dueRows } from '../../store/outbox.ts';
import { deliver } from '../../worker/relay.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';

/** An engine that counts what it is told, and a store that for a while takes no writes. */
function surroundings({ store }: Room, refusals: number) {
  const told: string[] = [];
  const said: string[] = [];
  let left = refusals;
  const write: Write = async (work) => {
    if ((left -= 1) >= 0) throw new AppError('disk_full', 'there is no room left');
    return store.write(work);
  };
  const start = async (_: string, { workflowId }: { workflowId: string }) =>
    void told.push(workflowId);
  const deps = {
    store: { ...store, write, db: store.db, now: () => store.now() },
    client: {
      workflow: { start, getHandle: () => ({ signal: async () => {} }) },
    } as unknown as Client,
    controlQueue: 'control',
    surroundings: () => ({ homeId: 'h', attributes: [], sessionIdleMs: 1000 }),
    log: (line: string) => void said.push(line),
  };
  return { deps, told, said };
}

test('while the disk is full a message is told once, and the note of it is made when there is room', async () => {
  await withOperations(async (room) => {
    const { workflowId } = await room.start();
    const { deps, told, said } = surroundings(room, 2);
    await deliver(deps, dueRows(room.store.db, room.store.now(), 10));
    expect(told).toEqual([workflowId]);
    expect(said).toEqual(['outbox: there is no room left']);
    expect(dueRows(room.store.db, room.store.now(), 10)).toEqual([]);
  });
});

test('whoever stops the relay meanwhile does not wait for room', async () => {
  await withOperations(async (room) => {
    await room.start();
    const { deps, told } = surroundings(room, Infinity);
    const stop = new AbortController();
    const delivered = deliver(deps, dueRows(room.store.db, room.store.now(), 10), stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(delivered).rejects.toMatchObject({ code: 'disk_full' });
    expect(told).toHaveLength(1);
  });
});
