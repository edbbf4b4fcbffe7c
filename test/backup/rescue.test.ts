/** A database that is taken away from under a server: seen, and nothing of it lost. */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { rescueDatabase, restoreBackup } from '../../backup/index.ts';
import { openStore } from '../../store/index.ts';
import { watchDatabase, type Lost } from '../../store/watch-database.ts';
import { putMeta, read, withHome, type Home } from './backup-fixture.ts';

const now = new Date('2026-03-05T12:00:00.000Z');
const deeds: [Lost, (file: string) => void][] = [
  ['deleted', (file) => ['', '-wal', '-shm'].forEach((end) => rmSync(file + end))],
  [
    'replaced',
    (file) => {
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
    },
  ],
];

async function withWatch({ paths }: Home, use: (seen: Lost[]) => Promise<void>): Promise<void> {
  const seen: Lost[] = [];
  const stop = watchDatabase(paths.database, (how) => seen.push(how), 20);
  try {
    await use(seen);
  } finally {
    stop();
  }
}

test.each(deeds)('that the open database was %s is seen, once', async (how, deed) => {
  await withHome((home) =>
    withWatch(home, async (seen) => {
      await putMeta(home.store, 'written');
      await sleep(100);
      expect(seen).toEqual([]);
      deed(home.paths.database);
      for (let look = 0; look < 200 && seen.length === 0; look += 1) await sleep(20);
      await sleep(100);
      expect(seen).toEqual([how]);
    }),
  );
});

test.each<[string, (home: string) => void]>([
  ['deleted', (home) => rmSync(home, { recursive: true })],
  [
    'moved, and another one put in its place,',
    (home) => {
      renameSync(home, `${home}-moved`);
      mkdirSync(home);
      rmSync(`${home}-moved`, { recursive: true });
    },
  ],
])('a home that is %s as a whole is no lost database', async (_, deed) => {
  await withHome((home) =>
    withWatch(home, async (seen) => {
      deed(home.paths.home);
      await sleep(150);
      expect(seen).toEqual([]);
    }),
  );
});

test.each(deeds)(
  'all that was committed before and after it was %s is a backup then',
  async (how, deed) => {
    await withHome(async ({ paths, store }) => {
      await putMeta(store, 'kept');
      deed(paths.database);
      await putMeta(store, 'after');
      const about = { db: store.db, database: paths.database, folder: paths.backups, now };
      const error = rescueDatabase(about, how);
      const file = `${paths.backups}/main-2026-03-05T12-00-00-000Z.db`;
      expect(readdirSync(paths.backups)).toEqual(['main-2026-03-05T12-00-00-000Z.db']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(error).toMatchObject({
        code: 'database_damaged',
        message: expect.stringContaining(`${paths.database}: `),
        hint: expect.stringContaining(`offshoot restore ${file}`),
      });
      await store.close();
      for (const end of ['', '-wal', '-shm']) rmSync(paths.database + end, { force: true });
      writeFileSync(paths.openings, '1\n');
      const options = { checkpoints: false, openings: paths.openings };
      expect(() => openStore(paths.database, options)).toThrow('is gone');
      await restoreBackup(paths, file, now);
      await openStore(paths.database, options).close();
      const keys = read(
        paths.database,
        `SELECT key FROM meta WHERE key IN ('kept', 'after') ORDER BY key`,
      );
      expect(keys).toEqual([{ key: 'after' }, { key: 'kept' }]);
    });
  },
);

test('what could not be kept is told with why', async () => {
  await withHome(async ({ paths, store }) => {
    writeFileSync(paths.backups, 'in the way');
    const about = { db: store.db, database: paths.database, folder: paths.backups, now };
    expect(rescueDatabase(about, 'deleted')).toMatchObject({
      code: 'database_damaged',
      message: expect.stringContaining(`could not be kept (${paths.backups} was not made`),
      hint: expect.stringContaining('offshoot restore'),
    });
  });
});

test('a WAL that was left without its database does not reach the backup that is put there', async () => {
  await withHome(async ({ paths, store, backups }) => {
    await putMeta(store, 'kept');
    const { file } = await backups.take(null);
    await putMeta(store, 'lost');
    copyFileSync(`${paths.database}-wal`, `${paths.home}/wal`);
    await store.close();
    rmSync(paths.database);
    renameSync(`${paths.home}/wal`, `${paths.database}-wal`);
    await restoreBackup(paths, file, now);
    await openStore(paths.database, { checkpoints: false }).close();
    const keys = read(paths.database, `SELECT key FROM meta WHERE key IN ('kept', 'lost')`);
    expect(keys).toEqual([{ key: 'kept' }]);
    expect(read(paths.database, 'PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
  });
});
