/** The last steps of a restore. A kill between two of them leaves them to whoever opens the store next. */
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reach } from '../faults/reach.ts';
import { flush } from '../store/flush.ts';
import { foldWal } from './fold-wal.ts';
import { timeStamp } from './folder.ts';

/** A copy of a backup that is not proved yet: left by a kill, it is worth nothing. */
export const stagedName = (database: string) => `${database}.restoring`;

/** One that is proved: from here on this is the store, whatever lies under its name still. */
export const decidedName = (database: string) => `${database}.restored`;

/**
 * Puts what was decided on in its place, and answers where the database is that was there. Only for who
 * has the home. Between the old WAL's going and the new file's coming there is an old database without
 * its last commits: that is why this is finished before anybody opens it.
 */
export function finishRestore(database: string): string | null {
  const staged = stagedName(database);
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(staged + end, { force: true });
  const decided = decidedName(database);
  if (!existsSync(decided)) return null;
  const aside = `${database}.replaced-${timeStamp(statSync(decided).mtime)}`;
  const isReplacing = existsSync(database);
  if (isReplacing) setAside(database, aside);
  setWalAside(database, aside);
  renameSync(decided, database);
  reach('store replaced');
  flush(dirname(database));
  return isReplacing ? aside : null;
}

function setAside(database: string, aside: string): void {
  if (!isSameFile(database, aside)) {
    try {
      foldWal(database);
    } catch {
      // It is damaged, which is why it is being replaced: it is set aside as it is, with its WAL.
    }
    linkSync(database, aside);
  }
  reach('store set aside');
}

/** What could not be folded in belongs to the old file, also to one that is gone, and would ruin the new one. */
function setWalAside(database: string, aside: string): void {
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${aside}-wal`);
  rmSync(`${database}-shm`, { force: true });
  reach('WAL set aside');
}

function isSameFile(one: string, other: string): boolean {
  const found = statSync(other, { throwIfNoEntry: false });
  return found !== undefined && found.ino === statSync(one).ino;
}
