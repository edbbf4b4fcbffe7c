/** Puts a backup in the place of the database. What was there is kept beside it. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { HomePaths } from '../contract/home.ts';
import { asDiskTrouble } from '../domain/disk-trouble.ts';
import { openDatabase } from '../store/database.ts';
import { takeHome } from '../engine/home-lock.ts';
import { reach } from '../faults/reach.ts';
import { flush } from '../store/flush.ts';
import { backupTakenAt, readMeta } from '../store/meta.ts';
import { knownSchema } from '../store/migrate.ts';
import { readSoundness } from './check-database.ts';
import { decidedName, finishRestore, stagedName } from './finish-restore.ts';

export interface Restored {
  file: string;
  takenAt: string;
  schema: number;
  /** Where the database is that was in its place; null where there was none. */
  replaced: string | null;
}

/**
 * Refuses while a server has the home. Killed before it is decided, it has changed nothing; killed later,
 * it is finished by whoever opens the store next.
 */
export async function restoreBackup(paths: HomePaths, file: string, now: Date): Promise<Restored> {
  try {
    return await restore(paths, file, now);
  } catch (error) {
    throw diskTrouble(paths, error) ?? error;
  }
}

function diskTrouble({ home, database }: HomePaths, error: unknown): AppError | null {
  const trouble = asDiskTrouble(error);
  if (trouble === null) return null;
  // Up to its rename nothing has changed. From then on there is no way back; what is left needs next to no room.
  const hint = existsSync(decidedName(database))
    ? `It is decided: once the disk of ${home} takes writes, the next start of Offshoot finishes it.`
    : `The database is as it was. The disk of ${home} has to take a copy of the backup beside it: mend that, then restore again.`;
  return new AppError(trouble.code, trouble.message, { cause: error, hint });
}

async function restore(paths: HomePaths, file: string, now: Date): Promise<Restored> {
  const release = takeHome(paths.home, 'offshoot restore');
  const staged = stagedName(paths.database);
  try {
    finishRestore(paths.database);
    requireBackupFile(paths, file);
    // The copy is what is verified: what is put in place, and not what it was read from.
    copyFileSync(file, staged);
    reach('backup copied');
    const { schema } = await requireSound(paths, file, staged);
    const takenAt = markAsBackup(paths, file, staged);
    // By which its end, whenever that comes, names what was there.
    utimesSync(staged, now, now);
    flush(staged);
    reach('backup proved');
    renameSync(staged, decidedName(paths.database));
    flush(dirname(paths.database));
    reach('restore decided');
    const replaced = finishRestore(paths.database);
    return { file, takenAt, schema, replaced };
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(staged + end, { force: true });
    release();
  }
}

function requireBackupFile({ database, backups }: HomePaths, file: string): void {
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new AppError('not_found', `there is no file ${file}`, { hint: whereBackupsAre(backups) });
  }
  const isOwn = existsSync(database) && realpathSync(file) === realpathSync(database);
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (!isOwn && wal === 0) return;
  throw new AppError('backup_invalid', `${file} is a database in use, not a backup`, {
    hint: 'A part of it lies in its -wal file. Take a backup with `offshoot backup`, and restore that.',
  });
}

async function requireSound(
  { backups }: HomePaths,
  file: string,
  staged: string,
): Promise<{ schema: number }> {
  const { schema, problems } = await readSoundness(staged);
  if (!isDatabase(staged)) throw noBackup(file, 'it is not a database', backups);
  if (problems.length > 0) {
    throw new AppError('backup_invalid', `${file} is damaged: ${problems[0]}`, {
      hint: 'Nothing was changed. Restore another backup.',
    });
  }
  if (schema > knownSchema()) {
    throw new AppError(
      'database_newer',
      `${file} was written by a newer Offshoot (schema ${schema}, this one knows ${knownSchema()})`,
      { hint: 'Nothing was changed. Update Offshoot, then restore it.' },
    );
  }
  return { schema };
}

/** A copy that was made otherwise does not say when: then it is as old as its file. */
function markAsBackup({ backups }: HomePaths, file: string, staged: string): string {
  const db = openDatabase(staged);
  try {
    if (!db.get(`SELECT 1 FROM sqlite_schema WHERE name = 'subagent_sessions'`)) {
      throw noBackup(file, 'it is a database of something else', backups);
    }
    db.run('INSERT OR IGNORE INTO meta (key, value) VALUES (:key, :value)', {
      key: backupTakenAt,
      value: statSync(file).mtime.toISOString(),
    });
    const takenAt = readMeta(db, backupTakenAt)!;
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return takenAt;
  } finally {
    db.close();
  }
}

/** It never was one, which is another mistake than a backup that has suffered. */
function noBackup(file: string, why: string, backups: string): AppError {
  return new AppError('backup_invalid', `${file} is no backup of Offshoot: ${why}`, {
    hint: `Nothing was changed. ${whereBackupsAre(backups)}`,
  });
}

const whereBackupsAre = (backups: string) =>
  `Name a file that \`offshoot backup\` has made: they are in ${backups}, unless \`backup.folder\` or --to named another place.`;

/** An empty file is an empty database to SQLite. */
function isDatabase(file: string): boolean {
  const head = Buffer.alloc(16);
  const handle = openSync(file, 'r');
  try {
    const read = readSync(handle, head, 0, head.length, 0);
    return read === 0 || head.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(handle);
  }
}
