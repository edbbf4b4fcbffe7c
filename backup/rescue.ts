/** What is left of a database that was deleted or replaced while it was open: all of it, until it is closed. */
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import type { HomePaths } from '../contract/home.ts';
import { openDatabase, type Db } from '../store/database.ts';
import { flush } from '../store/flush.ts';
import { backupTakenAt, writeMeta } from '../store/meta.ts';
import { watchDatabase, type Lost } from '../store/watch-database.ts';
import { backupFolder } from './backups.ts';
import { halfName } from './copy-database.ts';
import { backupName, openFolder } from './folder.ts';

/** Looks for as long as a server runs; `end` is to end it at once, or it would go on in a file without a name. */
export function rescueWhenLost(
  db: Db,
  { paths, config }: { paths: HomePaths; config(): Config['backup'] },
  end: (why: AppError) => void,
): () => void {
  const { database } = paths;
  return watchDatabase(database, (how) => {
    const folder = backupFolder(paths, config());
    end(rescueDatabase({ db, database, folder, now: new Date() }, how));
  });
}

const happened = {
  deleted: 'the database was deleted under a running server',
  replaced: 'another file was put in the place of the database under a running server',
} as const;

/** Keeps it as a backup, on this thread, so that nothing is accepted meanwhile; answers what is to be told. */
export function rescueDatabase(
  { db, database, folder, now }: { db: Db; database: string; folder: string; now: Date },
  how: Lost,
): AppError {
  const file = join(folder, backupName(now));
  try {
    copyOpen(db, folder, file, now);
  } catch (cause) {
    return new AppError(
      'database_damaged',
      `${database}: ${happened[how]}, and what it held could not be kept (${(cause as Error).message})`,
      {
        cause,
        hint: '`offshoot down`, then `offshoot restore` puts the last backup in its place.',
      },
    );
  }
  const instead =
    how === 'deleted'
      ? ''
      : ` To go on with the file that is there now: \`offshoot down\`, remove ${basename(database)}-wal and -shm, which are of the old one, then \`offshoot up\`.`;
  return new AppError('database_damaged', `${database}: ${happened[how]}, which ends`, {
    hint: `All that was accepted is kept: \`offshoot down\`, then \`offshoot restore ${file}\`, then \`offshoot up\`.${instead}`,
  });
}

function copyOpen(db: Db, folder: string, file: string, now: Date): void {
  openFolder(folder);
  const half = join(folder, halfName(basename(file)));
  try {
    closeSync(openSync(half, 'wx', 0o600));
    db.run('VACUUM INTO :half', { half });
    markAsBackup(half, now);
    flush(half);
    renameSync(half, file);
    flush(folder);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

function markAsBackup(half: string, now: Date): void {
  const copy = openDatabase(half);
  try {
    const tx = { db: copy, now: now.toISOString(), note: () => {} };
    writeMeta(tx, backupTakenAt, tx.now);
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}
