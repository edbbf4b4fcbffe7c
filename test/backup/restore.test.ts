import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { restoreBackup } from '../../backup/index.ts';
import type { HomePaths } from '../../contract/home.ts';
import { takeHome } from '../../engine/home-lock.ts';
import { openStore } from '../../store/index.ts';
import { inHome, putMeta, read, withHome, type Home } from './backup-fixture.ts';

const now = new Date('2026-03-05T12:00:00.000Z');
const put = (paths: HomePaths, file: string) => restoreBackup(paths, file, now);

/** A backup with `kept` in it, and a store that has gone on since. */
async function goneOn({ store, backups }: Home): Promise<string> {
  await putMeta(store, 'kept');
  const { file } = await backups.take(null);
  await putMeta(store, 'lost');
  return file;
}

const keysIn = (file: string) =>
  read<{ key: string }>(file, `SELECT key FROM meta WHERE key IN ('kept', 'lost')`).map(
    ({ key }) => key,
  );

test('restoring puts the backup in the place of the database, and keeps what was there', async () => {
  await withHome(async (home) => {
    const { paths } = home;
    const file = await goneOn(home);
    await home.store.close();
    const restored = await put(paths, file);
    expect(restored).toEqual({
      file,
      takenAt: read(file, `SELECT value FROM meta WHERE key = 'backup_taken_at'`)[0]!['value'],
      schema: expect.any(Number),
      replaced: `${paths.database}.replaced-2026-03-05T12-00-00-000Z`,
    });
    expect(keysIn(paths.database)).toEqual(['kept']);
    expect(keysIn(restored.replaced!)).toEqual(['kept', 'lost']);
    expect(existsSync(file)).toBe(true);
    expect(statSync(paths.database).mode & 0o777).toBe(0o600);
    expect(readdirSync(paths.home).filter((name) => name.includes('restoring'))).toEqual([]);
    const store = openStore(paths.database, { checkpoints: false });
    expect(store.homeId).toBe(home.store.homeId);
    await store.close();
  });
});

test('what a killed server left in the WAL stays with the old database and does not reach the new one', async () => {
  await withHome(async (home) => {
    const { paths } = home;
    const file = await goneOn(home);
    home.store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    await putMeta(home.store, 'lost');
    const killed = inHome(paths, 'killed.db');
    for (const end of ['', '-wal']) copyFileSync(paths.database + end, killed + end);
    await home.store.close();
    for (const end of ['', '-wal']) copyFileSync(killed + end, paths.database + end);
    const { replaced } = await put(paths, file);
    // Folded in first: a kill in the middle must not leave the old database without it.
    expect(existsSync(`${replaced}-wal`)).toBe(false);
    expect(keysIn(replaced!)).toEqual(['kept', 'lost']);
    expect(keysIn(paths.database)).toEqual(['kept']);
  });
});

test('a damaged database is replaced and set aside with its WAL, as it is', async () => {
  await withHome(async (home) => {
    const { paths } = home;
    const file = await goneOn(home);
    await home.store.close();
    writeFileSync(paths.database, 'not a database at all, of some length '.repeat(100));
    writeFileSync(`${paths.database}-wal`, 'rubbish');
    const { replaced } = await put(paths, file);
    expect(readFileSync(replaced!, 'utf8')).toContain('not a database');
    expect(readFileSync(`${replaced}-wal`, 'utf8')).toBe('rubbish');
    expect(existsSync(`${paths.database}-wal`)).toBe(false);
    expect(keysIn(paths.database)).toEqual(['kept']);
  });
});

test('a home without a database takes one', async () => {
  await withHome(async (home) => {
    const file = await goneOn(home);
    await withHome(async (other) => {
      await other.store.close();
      const { database } = other.paths;
      for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true });
      expect(await put(other.paths, file)).toMatchObject({ replaced: null });
      expect(keysIn(database)).toEqual(['kept']);
    });
  });
});

test('restoring is refused while somebody has the home, and names who', async () => {
  await withHome(async (home) => {
    const file = await goneOn(home);
    const release = takeHome(home.paths.home);
    await expect(put(home.paths, file)).rejects.toMatchObject({
      code: 'home_in_use',
      message: expect.stringContaining(`offshoot server, pid ${process.pid}`),
    });
    release();
    await home.store.close();
    await put(home.paths, file);
    takeHome(home.paths.home)();
  });
});

test.each<[string, (file: string, home: Home) => void, object]>([
  ['is not there', () => {}, { code: 'not_found', hint: expect.stringContaining('/backups,') }],
  [
    'is not a database',
    (file) => writeFileSync(file, 'words '.repeat(1000)),
    {
      code: 'backup_invalid',
      message: expect.stringContaining('is no backup of Offshoot: it is not a database'),
      hint: expect.stringMatching(/^Nothing was changed.*`offshoot backup`.*\/backups,/),
    },
  ],
  [
    'is cut short',
    (file, { paths }) => {
      copyFileSync(inHome(paths, 'good.db'), file);
      truncateSync(file, statSync(file).size - 8192);
    },
    { code: 'backup_invalid', message: expect.stringContaining('is damaged') },
  ],
  [
    'is of a newer Offshoot',
    (file, { paths }) => {
      copyFileSync(inHome(paths, 'good.db'), file);
      const db = new BetterSqlite3(file);
      db.pragma('user_version = 999');
      db.close();
    },
    { code: 'database_newer', hint: expect.stringContaining('Update Offshoot') },
  ],
  [
    'is a database of somebody else',
    (file) => {
      const db = new BetterSqlite3(file);
      db.exec('CREATE TABLE theirs (x)');
      db.close();
    },
    {
      code: 'backup_invalid',
      message: expect.stringContaining('no backup of Offshoot: it is a database of'),
    },
  ],
  [
    'is a database in use',
    (file, { paths }) => {
      copyFileSync(inHome(paths, 'good.db'), file);
      writeFileSync(`${file}-wal`, 'x');
    },
    { code: 'backup_invalid', message: expect.stringContaining('in use') },
  ],
])('a file that %s is refused, and nothing has changed', async (_, make, refusal) => {
  await withHome(async (home) => {
    const { paths, backups, store } = home;
    await backups.take(inHome(paths, 'good.db'));
    await putMeta(store, 'lost');
    await store.close();
    const before = readFileSync(paths.database);
    const bad = inHome(paths, 'bad.db');
    make(bad, home);
    await expect(put(paths, bad)).rejects.toMatchObject(refusal);
    expect(readFileSync(paths.database).equals(before)).toBe(true);
    const left = readdirSync(paths.home).filter((name) => /restoring|replaced/.test(name));
    expect(left).toEqual([]);
    takeHome(paths.home)();
  });
});

test('the database of the home itself is no backup of it', async () => {
  await withHome(async ({ paths, store }) => {
    await store.close();
    await expect(put(paths, paths.database)).rejects.toMatchObject({ code: 'backup_invalid' });
    const below = `${paths.database}/below`;
    await expect(put(paths, below)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('what was set aside can be put back, and is then as old as its file', async () => {
  await withHome(async (home) => {
    const { paths } = home;
    const file = await goneOn(home);
    await home.store.close();
    const { replaced } = await put(paths, file);
    const back = await restoreBackup(paths, replaced!, new Date('2026-03-06T00:00:00Z'));
    expect(back.takenAt).toBe(statSync(replaced!).mtime.toISOString());
    expect(keysIn(paths.database)).toEqual(['kept', 'lost']);
  });
});
