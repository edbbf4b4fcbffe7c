import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { withStore, type StoreRoom } from './store-fixture.ts';

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

/** Beyond the size from which the WAL is begun anew, for which nobody may be reading it; and from which that waits. */
const large = 20_000_000;
const tooLarge = 60_000_000;

test('a checkpoint keeps writers waiting for a long reader only where the WAL is far too large, and never where it is held', async () => {
  await withStore(
    async (room) => {
      // One may be due to the machine.
      expect(await stalls(room, large)).toBeLessThan(2);
      const release = room.store.holdCheckpoints();
      expect(await stalls(room, tooLarge)).toBeLessThan(2);
      release();
      expect(await stalls(room, tooLarge)).toBeGreaterThan(1);
    },
    { checkpoints: true },
  );
}, 60_000);
