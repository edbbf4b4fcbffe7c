import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../store/index.ts';
import { placeEmptyStore } from './empty-store.ts';

export interface StoreRoom {
  store: Store;
  file: string;
  folder: string;
}

/** A store on a file of its own, closed and gone when the test is. */
export async function withStore<T>(
  use: (room: StoreRoom) => Promise<T>,
  options: { clock?: () => Date; checkpoints?: boolean } = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-store-'));
  const file = join(folder, 'main.db');
  await placeEmptyStore(file);
  const store = openStore(file, { checkpoints: false, ...options });
  try {
    return await use({ store, file, folder });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface TestClock {
  now(): Date;
  advance(ms: number): void;
}

/** Stands still but for one millisecond at each look, so that nothing takes no time at all. */
export function createClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let at = Date.parse(start);
  return {
    now() {
      at += 1;
      return new Date(at);
    },
    advance(ms) {
      at += ms;
    },
  };
}
