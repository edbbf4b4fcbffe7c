// Moves the WAL into the database file, off the main thread. Plain JavaScript, because a worker
// thread is started from source in tests and from dist in production alike.
import { closeSync, fsyncSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { file, everyMs, roomBytes, passiveBytes, restartBytes, waitBytes } = workerData;
// One that is gone is not begun anew: whoever watches it has to see that it is gone.
const db = new BetterSqlite3(file, { fileMustExist: true });
/** A page with what the WAL notes of it. */
const frameBytes = 4096 + 24;
/** Writers wait as long: it must not be more than a person notices. */
const waitMs = 200;
/** How many long reads are under way. */
let held = 0;

/** Room is made only where it is a small part of what there is. */
const freeTimes = 64;

/**
 * A file that grows has its size flushed with each commit, too, which takes as long once more. What is
 * rolled back leaves nothing in the WAL but the room that it took.
 */
function makeRoom() {
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < freeTimes * roomBytes) return;
  // So few that SQLite has to put pages into the WAL before there is a commit.
  db.pragma('cache_size = 10');
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec('CREATE TABLE room (bytes BLOB)');
    db.prepare('INSERT INTO room VALUES (zeroblob(?))').run(roomBytes);
  } finally {
    db.exec('ROLLBACK');
  }
  const log = openSync(`${file}-wal`, 'r');
  fsyncSync(log);
  closeSync(log);
}

const bytesIn = ([{ log }]) => log * frameBytes;

function checkpoint() {
  // The size of its file says nothing of what is in it.
  if (bytesIn(db.pragma('wal_checkpoint(NOOP)')) <= passiveBytes) return;
  // Never waits for anybody.
  const bytes = bytesIn(db.pragma('wal_checkpoint(PASSIVE)'));
  if (bytes <= restartBytes || held > 0) return;
  // Lets the file be used again from its beginning, which nobody may be reading then. It keeps writers out while it
  // waits for readers, so it does not wait: until readers that overlap have prevented it for too long.
  db.pragma(`busy_timeout = ${bytes > waitBytes ? waitMs : 0}`);
  db.pragma('wal_checkpoint(RESTART)');
}

/** Busy or no disk: a checkpoint is tried again in the next round, and the WAL keeps what was written. */
function attempt(work) {
  try {
    work();
  } catch {}
}

attempt(makeRoom);
const timer = setInterval(() => attempt(checkpoint), everyMs);

parentPort.on('message', (message) => {
  if (message === 'hold') held += 1;
  if (message === 'release') held -= 1;
  if (message !== 'end') return;
  clearInterval(timer);
  db.close();
  parentPort.close();
});
