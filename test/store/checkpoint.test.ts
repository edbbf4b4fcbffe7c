import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { roomBytes } from '../../store/checkpoint.ts';
import { openStore } from '../../store/index.ts';
import { until } from '../e2e/stack.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { withStore, type StoreRoom } from './store-fixture.ts';

const onDisk = testOnDisks('the room of a WAL on a small disk');
const bytesOf = (file: string) => statSync(file).size;

test('the WAL has its room from the start, and does not grow while what is written fits into it', async () => {
  await withStore(
    async ({ store, file }) => {
      const log = `${file}-wal`;
      await until(
        async () => bytesOf(log),
        (bytes) => bytes >= roomBytes,
      );
      const [bytes, inDatabase] = [bytesOf(log), bytesOf(file)];
      // In all twice as much as there is room for.
      const value = 'x'.repeat(100_000);
      for (let n = 0; n < (2 * roomBytes) / value.length; n += 1) {
        await store.write((tx) =>
          tx.db.run(`INSERT OR REPLACE INTO meta VALUES ('big', :value)`, { value }),
        );
        await sleep(15);
      }
      expect(bytesOf(log)).toBe(bytes);
      expect(bytesOf(file) - inDatabase).toBeLessThan(1_000_000);
      expect(store.db.all(`SELECT name FROM sqlite_schema WHERE name = 'room'`)).toEqual([]);
      // As a kill leaves it: what stands in its room is nobody's.
      const left = new BetterSqlite3(file, { readonly: true });
      expect(left.pragma('integrity_check', { simple: true })).toBe('ok');
      left.close();
    },
    { checkpoints: true },
  );
}, 60_000);

onDisk('on a small disk it is given none: there what it takes is somebody else’s', async () => {
  const disk = openDisk(64);
  try {
    const file = join(disk.folder, 'main.db');
    const store = openStore(file);
    for (let n = 0; n < 20; n += 1) {
      await store.write((tx) => tx.db.run(`INSERT OR REPLACE INTO meta VALUES ('n', :n)`, { n }));
      await sleep(50);
    }
    expect(bytesOf(`${file}-wal`)).toBeLessThan(1_000_000);
    await store.close();
  } finally {
    disk.remove();
  }
});

/** Between the 200 ms for which a checkpoint may wait for a reader, and any write of its own. */
const stallMs = 150;

/** How many of the writes made within two seconds had to wait for a checkpoint that waited for a reader. */
async function stalls({ store, file }: StoreRoom, walBytes: number): Promise<number> {
  const reader = new BetterSqlite3(file, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM meta').get();
  const fill = (bytes: number) =>
    store.write((tx) =>
      tx.db.run(`INSERT OR REPLACE INTO meta VALUES ('big', :value)`, { value: 'x'.repeat(bytes) }),
    );
  await fill(walBytes);
  let count = 0;
  for (const end = Date.now() + 2000; Date.now() < end; await sleep(5)) {
    const from = performance.now();
    await fill(10);
    if (performance.now() - from > stallMs) count += 1;
  }
  reader.close();
  return count;
}

async function fewestStalls(room: StoreRoom, walBytes: number): Promise<number> {
  let fewest = Infinity;
  for (let time = 0; time < 5 && fewest > 1; time += 1) {
    fewest = Math.min(fewest, await stalls(room, walBytes));
  }
  return fewest;
}

/** Beyond the size from which the WAL is begun anew, for which nobody may be reading it; and from which that waits. */
const large = 20_000_000;
const tooLarge = 60_000_000;

test('a checkpoint keeps writers waiting for a long reader only where the WAL is far too large, and never where it is held', async () => {
  await withStore(
    async (room) => {
      // One may be due to the machine, and so may be more of them once.
      expect(await fewestStalls(room, large)).toBeLessThan(2);
      const release = room.store.holdCheckpoints();
      expect(await fewestStalls(room, tooLarge)).toBeLessThan(2);
      release();
      expect(await stalls(room, tooLarge)).toBeGreaterThan(1);
    },
    { checkpoints: true },
  );
}, 60_000);
