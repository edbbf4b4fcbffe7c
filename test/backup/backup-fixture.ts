/** A home with a store in it, and a way to look into any database file. */
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { configSchema, type Config } from '../../contract/config.ts';
import { homePaths, type HomePaths } from '../../contract/home.ts';
import { createBackups, type Backups } from '../../backup/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { withFolder } from '../support/folder.ts';

export interface Home {
  paths: HomePaths;
  store: Store;
  backups: Backups;
  config: Config['backup'];
  clock: { at: number };
  holds: string[];
}

export async function withHome(use: (home: Home) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const paths = homePaths(folder);
    const store = openStore(paths.database);
    const config = configSchema.parse({}).backup;
    const clock = { at: Date.parse('2026-03-01T12:00:00Z') };
    const holds: string[] = [];
    const backups = createBackups({
      paths,
      config: () => config,
      now: () => new Date((clock.at += 1)),
      hold: () => {
        holds.push('hold');
        const release = store.holdCheckpoints();
        return () => {
          holds.push('release');
          release();
        };
      },
    });
    let isOpen = true;
    const close = store.close;
    store.close = async () => {
      if (isOpen) await close();
      isOpen = false;
    };
    try {
      await use({ paths, store, backups, config, clock, holds });
    } finally {
      await store.close();
    }
  });
}

export function read<T = Record<string, unknown>>(file: string, sql: string): T[] {
  const db = new BetterSqlite3(file, { readonly: true });
  try {
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}

export const putMeta = (store: Store, key: string, value = 'x') =>
  store.write((tx) =>
    tx.db.run('INSERT OR REPLACE INTO meta (key, value) VALUES (:key, :value)', { key, value }),
  );

export const inHome = (paths: HomePaths, name: string) => join(paths.home, name);
