// Copies the database into a new file, off the main thread, and verifies the copy. Plain JavaScript,
// because a worker thread is started from source in tests and from dist in production alike.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { database, file, half, markKey } = workerData;

try {
  // Opened by us, so that nobody else can read it at any moment; SQLite fills an empty file.
  closeSync(openSync(half, 'wx', 0o600));
  const takenAt = new Date().toISOString();
  const schema = copy();
  mark(takenAt, schema);
  sync(half);
  renameSync(half, file);
  sync(dirname(file));
  parentPort.postMessage({ file, bytes: statSync(file).size, takenAt, schema });
} catch (error) {
  rmSync(half, { force: true });
  // An error of SQLite's own kind would arrive at the other side without its words.
  throw new Error(error.message, { cause: error });
}

/** One read transaction: writers go on, and what they write is not in it. */
function copy() {
  const source = new BetterSqlite3(database, { readonly: true, fileMustExist: true });
  try {
    source.pragma('busy_timeout = 5000');
    source.prepare('VACUUM INTO ?').run(half);
    return source.pragma('user_version', { simple: true });
  } finally {
    source.close();
  }
}

/** A database that was put back from a backup has to know that it was. */
function mark(takenAt, schema) {
  const copied = new BetterSqlite3(half, { fileMustExist: true });
  try {
    // It is synced as a whole below, and thrown away if anything fails before that.
    copied.pragma('journal_mode = OFF');
    copied.pragma('synchronous = OFF');
    const put = copied.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
    put.run(markKey, takenAt);
    const found = copied.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new Error(`the copy is damaged: ${String(found)}`);
    if (copied.pragma('user_version', { simple: true }) !== schema) {
      throw new Error('the copy does not say which schema it has');
    }
  } finally {
    copied.close();
  }
}

function sync(path) {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
