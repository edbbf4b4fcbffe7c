/** The store: SQLite, opened by the server and by nothing else. */
import { randomBytes } from 'node:crypto';
import { createChanges, type Changes } from './changes.ts';
import { startCheckpoints } from './checkpoint.ts';
import { openDatabase, type Db } from './database.ts';
import { afterRestore } from './lifecycle/after-restore.ts';
import { readMeta, writeMeta } from './meta.ts';
import { migrate } from './migrate.ts';
import { forgetWaits } from './waits.ts';
import { createWriteQueue, type OnCommit, type Write } from './write-queue.ts';

export interface Store {
  /** For reads only. */
  db: Db;
  /** A promise, kept after COMMIT. */
  write: Write;
  changes: Changes;
  now(): string;
  /** Names this home in queues and markers; made once. */
  homeId: string;
  /** For a reader that takes seconds, which would keep writers waiting; answers how to let go. */
  holdCheckpoints(): () => void;
  close(): Promise<void>;
}

export function openStore(
  file: string,
  options: { clock?: () => Date; checkpoints?: boolean; onCommit?: OnCommit } = {},
): Store {
  const clock = options.clock ?? (() => new Date());
  const db = openMigrated(file);
  const changes = createChanges();
  const queue = createWriteQueue(db, clock, changes.publish, options.onCommit);
  const checkpoints = options.checkpoints === false ? null : startCheckpoints(file);
  const homeId = prepare(db, clock);
  return {
    db,
    write: queue.write,
    changes,
    now: () => clock().toISOString(),
    homeId,
    holdCheckpoints: () => checkpoints?.hold() ?? (() => {}),
    async close() {
      queue.flush();
      await checkpoints?.stop();
      db.close();
    },
  };
}

function openMigrated(file: string): Db {
  const db = openDatabase(file);
  try {
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Db, clock: () => Date): string {
  const tx = { db, now: clock().toISOString(), note: () => {} };
  forgetWaits(tx);
  afterRestore(tx);
  const known = readMeta(db, 'home_id');
  if (known) return known;
  const homeId = randomBytes(4).toString('hex');
  writeMeta(tx, 'home_id', homeId);
  return homeId;
}

export type { Db } from './database.ts';
export type { OnCommit, Tx, Write } from './write-queue.ts';
export type { Change } from './changes.ts';
