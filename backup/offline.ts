/** What is asked of a store that no server has: the home is taken for as long as it takes. */
import type { Config } from '../contract/config.ts';
import type { HomePaths } from '../contract/home.ts';
import type { Backup, StoreCheck } from '../contract/system-records.ts';
import { takeHome } from '../engine/home-lock.ts';
import { createBackups } from './backups.ts';
import { checkDatabase } from './check-database.ts';
import { finishRestore } from './finish-restore.ts';
import { foldWal } from './fold-wal.ts';

export async function backupOffline(
  paths: HomePaths,
  config: Config['backup'],
  file: string | null,
): Promise<Backup> {
  const release = takeHome(paths.home, 'offshoot backup');
  try {
    finishRestore(paths.database);
    const now = () => new Date();
    return await createBackups({ paths, config: () => config, now, hold: () => () => {} }).take(
      file,
    );
  } finally {
    release();
  }
}

export async function checkOffline(paths: HomePaths): Promise<StoreCheck> {
  const release = takeHome(paths.home, 'offshoot doctor');
  try {
    return await checkDatabase(paths.database, new Date().toISOString(), null);
  } finally {
    release();
  }
}

/** Brings what lies in the WAL into the database file. */
export function foldOffline(paths: HomePaths): void {
  const release = takeHome(paths.home, 'offshoot doctor');
  try {
    finishRestore(paths.database);
    foldWal(paths.database);
  } finally {
    release();
  }
}
