/** One server per home. The lock is the operating system's, so that a killed server leaves none behind. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../contract/errors.ts';

/** Takes the home for this process, or says who has it. Returns how to give it back. */
export function takeHome(home: string, name = 'offshoot server'): () => void {
  mkdirSync(`${home}/run`, { recursive: true, mode: 0o700 });
  const note = noteOf(home);
  const lock = new BetterSqlite3(lockOf(home), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    writeFileSync(note, JSON.stringify({ name, pid: process.pid }));
  } catch (cause) {
    lock.close();
    // A disk without room is no other server.
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause;
    throw new AppError('home_in_use', `the home ${home} is in use by ${holder(note)}`, {
      cause,
      hint: 'Use that server, stop it with: offshoot down, or set OFFSHOOT_HOME to another folder.',
    });
  }
  return () => lock.close();
}

/** Who has the home, in words, by the lock alone; null where nobody has. Makes nothing. */
export function homeHolder(home: string): string | null {
  if (!existsSync(lockOf(home))) return null;
  const lock = new BetterSqlite3(lockOf(home), { timeout: 0, fileMustExist: true });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return null;
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    return holder(noteOf(home));
  } finally {
    lock.close();
  }
}

const lockOf = (home: string) => `${home}/run/lock.db`;
const noteOf = (home: string) => `${home}/run/holder.json`;

function holder(note: string): string {
  try {
    const { name, pid } = JSON.parse(readFileSync(note, 'utf8')) as { name: string; pid: number };
    return `${name}, pid ${pid}`;
  } catch {
    return 'another server that is just starting';
  }
}
