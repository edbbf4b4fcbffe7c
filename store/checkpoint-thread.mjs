// Moves the WAL into the database file, off the main thread. Plain JavaScript, because a worker
// thread is started from source in tests and from dist in production alike.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { file, everyMs, passiveBytes, restartBytes } = workerData;
const db = new BetterSqlite3(file);
db.pragma('busy_timeout = 200');
/** How many long reads are under way. */
let held = 0;

function checkpoint() {
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  // PASSIVE never waits for anybody; RESTART lets the file be used again from its beginning, which
  // overlapping readers would otherwise prevent for ever. It keeps writers out while it waits for
  // them, which is too long for one that copies the whole file: then the WAL grows for a while.
  if (bytes > restartBytes && held === 0) db.pragma('wal_checkpoint(RESTART)');
  else if (bytes > passiveBytes) db.pragma('wal_checkpoint(PASSIVE)');
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
