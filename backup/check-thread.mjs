// Reads a whole database and says what is wrong with it, off the main thread.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';

const { file, problemsMax } = workerData;

parentPort.postMessage(check());

function check() {
  let db;
  try {
    db = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    const lines = db.pragma(`integrity_check(${problemsMax})`).map((row) => row.integrity_check);
    const schema = db.pragma('user_version', { simple: true });
    return { schema, problems: lines.filter((line) => line !== 'ok') };
  } catch (error) {
    // Damage of the header or the schema shows here and not in the check.
    return { schema: 0, problems: [error.message] };
  } finally {
    db?.close();
  }
}
