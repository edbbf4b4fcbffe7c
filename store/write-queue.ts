/**
 * Group commit: what one turn of the event loop queued becomes one transaction, with a savepoint
 * each where there are several, answered after COMMIT. One flush to disk serves them all.
 *
 * Who is likely alone does not wait for the turn to end (ADR 0018): the first of a turn is committed as soon as
 * its caller's code has run, with what that code queued, unless the turn before had several.
 */
import { asDiskTrouble } from '../domain/disk-trouble.ts';
import type { Change } from './changes.ts';
import type { Db } from './database.ts';

/** What a write is given: the database, the time, and a place to note what others must hear of. */
export interface Tx {
  db: Db;
  now: string;
  note(change: Change): void;
}

export type Write = <T>(work: (tx: Tx) => T) => Promise<T>;

/** Told how long one flush to disk took, and how many writes it served. */
export type OnCommit = (seconds: number, writes: number) => void;

interface Pending {
  work: (tx: Tx) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Done {
  pending: Pending;
  value?: unknown;
  error?: unknown;
  changes: Change[];
}

/** Bounds how long one transaction can hold the loop. */
const GROUP_MAX = 500;

export function createWriteQueue(
  db: Db,
  clock: () => Date,
  publish: (changes: Change[]) => void,
  onCommit: OnCommit = () => {},
): { write: Write; flush: () => void; tell: () => void } {
  let queue: Pending[] = [];
  let isScheduled = false;
  let untold: Change[] = [];
  /** Committed in this turn of the event loop, and whether the one before it had more than one of them. */
  let committed = 0;
  let wasCrowded = false;

  function flush(): void {
    isScheduled = false;
    while (queue.length > 0) commitGroup(queue.splice(0, GROUP_MAX));
  }

  function commitGroup(group: Pending[]): void {
    const done: Done[] = [];
    const from = performance.now();
    try {
      db.run('BEGIN IMMEDIATE');
      // Alone it needs no savepoint, for which every page that it changes would be copied first.
      const work = group.length === 1 ? run : runOfSeveral;
      for (const pending of group) done.push(work(db, clock().toISOString(), pending));
      db.run('COMMIT');
    } catch (error) {
      rollBack(db);
      for (const pending of group) pending.reject(asDiskTrouble(error) ?? error);
      return;
    }
    done.forEach(answer);
    onCommit((performance.now() - from) / 1000, group.length);
    // Whoever wrote is answered before others begin on what they hear: a turn of the event loop later.
    for (const { changes } of done) untold.push(...changes);
    if (committed === 0) setImmediate(endTurn);
    committed += group.length;
  }

  function endTurn(): void {
    wasCrowded = committed > 1;
    committed = 0;
    setImmediate(tell);
  }

  function tell(): void {
    if (untold.length === 0) return;
    const changes = untold;
    untold = [];
    publish(changes);
  }

  const write: Write = (work) =>
    new Promise((resolve, reject) => {
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (isScheduled) return;
      isScheduled = true;
      if (committed > 0 || wasCrowded) setImmediate(flush);
      else void Promise.resolve().then(flush);
    });
  return { write, flush, tell };
}

function run(db: Db, now: string, pending: Pending): Done {
  const changes: Change[] = [];
  const value = pending.work({ db, now, note: (change) => void changes.push(change) });
  if (value instanceof Promise) throw new TypeError('A write must not return a promise.');
  return { pending, value, changes };
}

/** One that fails takes back its own changes and nobody else's. */
function runOfSeveral(db: Db, now: string, pending: Pending): Done {
  db.exec('SAVEPOINT one');
  try {
    const done = run(db, now, pending);
    db.exec('RELEASE one');
    return done;
  } catch (error) {
    takeBack(db, error);
    return { pending, error: asDiskTrouble(error) ?? error, changes: [] };
  }
}

/** Of a full disk, SQLite has rolled back the whole group by itself: then that is what all of it hears. */
function takeBack(db: Db, error: unknown): void {
  try {
    db.exec('ROLLBACK TO one; RELEASE one');
  } catch {
    throw error;
  }
}

function answer({ pending, value, error }: Done): void {
  if (error === undefined) pending.resolve(value);
  else pending.reject(error);
}

function rollBack(db: Db): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself (disk full, I/O error): there is nothing left to undo.
  }
}
