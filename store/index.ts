/** The store: SQLite, opened by the server and by nothing else. */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { createChanges, type Changes } from './changes.ts';
import { startCheckpoints } from './checkpoint.ts';
import { asDiskTrouble, damagedDatabase } from '../domain/disk-trouble.ts';
import { openDatabase, type Db } from './database.ts';
import type { Contacts } from './hosts.ts';
import { hasDatabase } from './has-database.ts';
import { afterRestore } from './lifecycle/after-restore.ts';
import { readMeta, writeMeta } from './meta.ts';
import { migrate, schemaOf } from './migrate.ts';
import { countOpening, lostDatabase, readOpenings } from './openings.ts';
import { forgetWaits } from './waits.ts';
import { createWriteQueue, type OnCommit, type Tx, type Write } from './write-queue.ts';

export interface Store {
  /** For reads only. */
  db: Db;
  /** A promise, kept after COMMIT. */
  write: Write;
  changes: Changes;
  contacts: Contacts;
  now(): string;
  /** Names this home in queues and markers; made once. */
  homeId: string;
  /** For a reader that takes seconds, which would keep writers waiting; answers how to let go. */
  holdCheckpoints(): () => void;
  close(): Promise<void>;
}

export function openStore(
  file: string,
  options: {
    clock?: () => Date;
    checkpoints?: boolean;
    onCommit?: OnCommit;
    /** Where its home counts openings. Only for who will run what is in it: that is what is counted. */
    openings?: string;
  } = {},
): Store {
  const clock = options.clock ?? (() => new Date());
  const { db, homeId } = openPrepared(file, clock, options.openings);
  const changes = createChanges();
  const queue = createWriteQueue(db, clock, changes.publish, options.onCommit);
  const checkpoints = options.checkpoints === false ? null : startCheckpoints(file);
  return {
    db,
    write: queue.write,
    changes,
    contacts: new Map(),
    now: () => clock().toISOString(),
    homeId,
    holdCheckpoints: () => checkpoints?.hold() ?? (() => {}),
    async close() {
      queue.flush();
      queue.tell();
      await checkpoints?.stop();
      db.close();
    },
  };
}

interface Prepared {
  db: Db;
  homeId: string;
}

/** What is wrong with the file is said with its name: nobody can be asked about it any more. */
function openPrepared(file: string, clock: () => Date, openings?: string): Prepared {
  try {
    if (hasDatabase(file)) requireTables(file);
    else {
      const lost = openings === undefined ? null : lostDatabase(file, openings);
      if (lost !== null) throw lost;
      makeDatabase(file, clock);
    }
    return prepare(file, clock, openings);
  } catch (error) {
    throw asDiskTrouble(error, file) ?? error;
  }
}

/**
 * To read only: a connection that may write folds the WAL in when it is closed, also into a file that it
 * could not make sense of, and then there is nothing left to be rescued.
 */
function requireTables(file: string): void {
  const db = openDatabase(file, { readonly: true });
  try {
    const tables = db.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')!.n;
    if (tables === 0 || schemaOf(db) === 0) throw damagedDatabase(file, 'it holds no tables');
  } finally {
    db.close();
  }
}

/** Beside its place and moved there whole: half a database must never be what is found. */
function makeDatabase(file: string, clock: () => Date): void {
  const fresh = `${file}.new`;
  // What a kill has left of an earlier try.
  for (const end of ['', '-wal', '-shm']) rmSync(fresh + end, { force: true });
  prepare(fresh, clock).db.close();
  renameSync(fresh, file);
}

function prepare(file: string, clock: () => Date, openings?: string): Prepared {
  const db = openDatabase(file);
  try {
    migrate(db, file);
    const tx = { db, now: clock().toISOString(), note: () => {} };
    forgetWaits(tx);
    const counted = openings === undefined ? null : readOpenings(db, openings);
    afterRestore(tx, counted);
    if (counted !== null) countOpening(tx, counted);
    return { db, homeId: ownId(tx) };
  } catch (error) {
    db.close();
    throw error;
  }
}

function ownId(tx: Tx): string {
  const known = readMeta(tx.db, 'home_id');
  if (known) return known;
  const homeId = randomBytes(4).toString('hex');
  writeMeta(tx, 'home_id', homeId);
  return homeId;
}

export type { Db } from './database.ts';
export type { OnCommit, Tx, Write } from './write-queue.ts';
export type { Change } from './changes.ts';
