/** One verified copy of a database that may be in use. It is there whole, or not at all. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { Backup } from '../contract/system-records.ts';
import { backupTakenAt } from '../store/meta.ts';
import { runThread } from './run-thread.ts';

/** What a copy must leave free: the store itself has to go on writing. */
const roomLeftBytesMin = 256 * 1024 ** 2;

export const halfName = (name: string) => `.${name}.half`;

export async function copyDatabase(database: string, file: string): Promise<Backup> {
  if (!existsSync(database)) {
    throw new AppError('not_found', `there is no ${database} yet: nothing to be copied`);
  }
  refuseTaken(file);
  refuseOwnName(database, file);
  requireRoom(database, dirname(file));
  const half = join(dirname(file), halfName(basename(file)));
  try {
    const script = new URL('./copy-thread.mjs', import.meta.url);
    return await runThread(script, { database, file, half, markKey: backupTakenAt });
  } catch (cause) {
    throw notMade(file, cause);
  }
}

/** A backup, or the folder that it was to lie in. */
export const notMade = (path: string, cause: unknown) =>
  new AppError('backup_failed', `${path} was not made: ${(cause as Error).message}`, {
    cause,
    hint: 'The store goes on. See that the folder is there, may be written and has room; `offshoot doctor` reads the store itself.',
  });

function refuseTaken(file: string): void {
  if (!existsSync(file)) return;
  throw new AppError('bad_request', `${file} is there already, and is not overwritten`, {
    hint: 'Name another file.',
  });
}

/** What lies there under a name that goes on after the database's is a part of the store, or becomes the store at the next start. */
function refuseOwnName(database: string, file: string): void {
  if (!basename(file).startsWith(basename(database))) return;
  if (statSync(dirname(file), { throwIfNoEntry: false })?.ino !== statSync(dirname(database)).ino) {
    return;
  }
  throw new AppError('bad_request', `${file} is a name of the store's own, and of no backup`, {
    hint: 'Name another file, or none: then it goes into the folder of backups.',
  });
}

function requireRoom(database: string, folder: string): void {
  if (!existsSync(folder)) {
    throw new AppError('bad_request', `there is no folder ${folder}`, {
      hint: 'Make it first, or name a file elsewhere, or none: then it goes into the folder of backups.',
    });
  }
  const wal = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = statSync(database).size + wal + roomLeftBytesMin;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  throw new AppError(
    'backup_failed',
    `${folder} has ${inMegabytes(bavail * bsize)} free; a copy needs ${inMegabytes(needed)}`,
    { hint: 'Make room, or name another folder: backup.folder in the configuration.' },
  );
}

const inMegabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
