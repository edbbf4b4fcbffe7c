// Moves the WAL into the database file, off the main thread. Plain JavaScript, because a worker
// thread is started from source in tests and from dist in production alike.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { file, everyMs, passiveBytes, restartBytes, waitBytes } = workerData;
const db = new BetterSqlite3(file);
/** A page with what the WAL notes of it. */
const frameBytes = 4096 + 24;
/** Writers wait as long: it must not be more than a person notices. */
const waitMs = 200;
/** How many long reads are under way. */
let held = 0;

function checkpoint() {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= passiveBytes) return;
  // Never waits for anybody. What the file has held at most says nothing of what is in it now.
  const [{ log }] = db.pragma('wal_checkpoint(PASSIVE)');
  const bytes = log * frameBytes;
  if (bytes <= restartBytes || held > 0) return;
  // Lets the file be used again from its beginning, which nobody may be reading then. It keeps writers out while it
  // waits for readers, so it does not wait: until readers that overlap have prevented it for too long.
  db.pragma(`busy_timeout = ${bytes > waitBytes ? waitMs : 0}`);
  db.pragma('wal_checkpoint(RESTART)');
}

const timer = setInterval(() => {
  try {
    checkpoint();
  } catch {
    // Busy or no disk: the next round tries again, and the WAL keeps what was written.
  }
}, everyMs);

parentPort.on('message', (message) => {
  if (message === 'hold') held += 1;
  if (message === 'release') held -= 1;
  if (message !== 'end') return;
  clearInterval(timer);
  db.close();
  parentPort.close();
});
