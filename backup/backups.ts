/** The backups of a running store: one at a time, taken when asked for or when it is time. */
import { join } from 'node:path';
import type { Config } from '../contract/config.ts';
import type { HomePaths } from '../contract/home.ts';
import type { Backup } from '../contract/system-records.ts';
import { copyDatabase } from './copy-database.ts';
import { backupName, listBackups, newestBackup, openFolder, prune } from './folder.ts';

export interface BackupDeps {
  paths: HomePaths;
  config(): Config['backup'];
  now(): Date;
  /** Keeps writers from waiting for the copy; answers how to let go. */
  hold(): () => void;
}

export interface Backups {
  /** Into a file of this name, or into the folder of backups under the name of its time. */
  take(file: string | null): Promise<Backup>;
  /** Whether the newest in the folder is older than it should be. */
  isDue(): boolean;
}

export function createBackups(deps: BackupDeps): Backups {
  let last: Promise<unknown> = Promise.resolve();

  async function takeOne(file: string | null): Promise<Backup> {
    const release = deps.hold();
    try {
      return file === null ? await takeKept(deps) : await copyDatabase(deps.paths.database, file);
    } finally {
      release();
    }
  }

  return {
    take(file) {
      const taken = last.then(() => takeOne(file));
      last = taken.catch(() => {});
      return taken;
    },
    isDue() {
      const { everyHours } = deps.config();
      if (everyHours === 0) return false;
      const now = deps.now().getTime();
      const newest = newestBackup(listBackups(backupFolder(deps.paths, deps.config())), now);
      return newest === undefined || now - newest.at >= everyHours * 3_600_000;
    },
  };
}

export const backupFolder = (paths: HomePaths, config: Config['backup']) =>
  config.folder ?? paths.backups;

async function takeKept({ paths, config, now }: BackupDeps): Promise<Backup> {
  const folder = backupFolder(paths, config());
  openFolder(folder);
  const taken = await copyDatabase(paths.database, join(folder, backupName(now())));
  prune(folder, config().keep, taken.file);
  return taken;
}
