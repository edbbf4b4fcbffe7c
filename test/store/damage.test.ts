/** Files of the store as damage leaves them: refused by name with a remedy, never taken for an empty home. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../../backup/index.ts';
import { openStore } from '../../store/index.ts';
import { engineEpoch, readMeta } from '../../store/meta.ts';
import { withFolder } from '../support/folder.ts';
import { withStore } from './store-fixture.ts';

type Deed = (file: string) => void;

function overwrite(file: string, at: number, bytes: number): void {
  const content = readFileSync(file);
  content.fill(0xa5, at, at + bytes);
  writeFileSync(file, content);
}

/** A store of some pages with known rows, closed in order; or as a kill leaves it, with its WAL. */
async function withHome(
  left: 'closed' | 'killed',
  use: (file: string) => void | Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await withStore(async ({ store, file }) => {
      for (let row = 0; row < 200; row += 1) await store.write(put(`row ${row}`));
      if (left === 'killed') copyBoth(file, join(folder, 'main.db'));
      else {
        await store.close();
        copyFileSync(file, join(folder, 'main.db'));
        Object.assign(store, { close: async () => {} });
      }
    });
    await use(join(folder, 'main.db'));
  });
}

function copyBoth(from: string, to: string): void {
  for (const end of ['', '-wal']) copyFileSync(from + end, to + end);
}

const put =
  (key: string) =>
  ({ db }: { db: { run(sql: string, params: Record<string, string>): number } }) =>
    db.run('INSERT INTO meta (key, value) VALUES (:key, :value)', { key, value: 'x'.repeat(500) });

const rowsIn = (store: ReturnType<typeof openStore>) =>
  store.db.get<{ n: number }>(`SELECT count(*) AS n FROM meta WHERE key LIKE 'row %'`)!.n;

const soundness = (store: ReturnType<typeof openStore>) =>
  store.db.get<{ quick_check: string }>('PRAGMA quick_check')!.quick_check;

function refusalOf(file: string) {
  try {
    openStore(file, { checkpoints: false });
  } catch (error) {
    return error as { code?: string; message: string; hint?: string };
  }
  throw new Error('it was opened');
}

const refused: [string, Deed][] = [
  ['whose header is overwritten', (file) => overwrite(file, 0, 100)],
  ['that holds something else', (file) => writeFileSync(file, 'x'.repeat(10_000))],
  ['that was cut to half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ['that was cut to nothing', (file) => truncateSync(file, 0)],
  ['whose schema is overwritten', (file) => overwrite(file, 100, 3900)],
];

test.each(refused)(
  'a database %s is refused with its name and the way back, and is left as it is',
  async (_, deed) => {
    await withHome('closed', (file) => {
      deed(file);
      const before = readFileSync(file);
      const error = refusalOf(file);
      expect(error).toMatchObject({ code: 'database_damaged' });
      expect(error.message).toContain(file);
      expect(error.hint).toContain('offshoot restore');
      expect(readFileSync(file).equals(before)).toBe(true);
      // Again, and the same: nothing was made in its place.
      expect(refusalOf(file).code).toBe('database_damaged');
    });
  },
);

test.each(refused)(
  'with what a kill has left in the WAL, a database %s is whole again, or refused and both files kept',
  async (_, deed) => {
    await withHome('killed', async (file) => {
      deed(file);
      const files = () => [readFileSync(file, 'hex'), readFileSync(`${file}-wal`, 'hex')];
      const before = files();
      try {
        const store = openStore(file, { checkpoints: false });
        expect([rowsIn(store), soundness(store)]).toEqual([200, 'ok']);
        await store.close();
      } catch (error) {
        expect(error).toMatchObject({ code: 'database_damaged' });
        expect(files()).toEqual(before);
      }
    });
  },
);

test('a database that is gone from a home that has counted its openings is refused, until the count goes, too', async () => {
  await withFolder(async (folder) => {
    const [file, openings] = [join(folder, 'main.db'), join(folder, 'openings')];
    const options = { checkpoints: false, openings };
    for (let start = 0; start < 2; start += 1) await openStore(file, options).close();
    rmSync(file);
    for (let start = 0; start < 2; start += 1) {
      expect(() => openStore(file, options)).toThrow(
        `${file} is gone: a server has opened it before`,
      );
    }
    expect(readdirSync(folder)).toEqual(['openings']);
    rmSync(openings);
    await openStore(file, options).close();
    expect(readFileSync(openings, 'utf8')).toBe('1\n');
  });
});

test('a database that is gone while its WAL is there is refused, and the WAL is kept', async () => {
  await withHome('killed', (file) => {
    rmSync(file);
    expect(refusalOf(file)).toMatchObject({ code: 'database_damaged' });
    expect([existsSync(file), statSync(`${file}-wal`).size > 0]).toEqual([false, true]);
  });
});

test.each([
  ['folded in, and nobody can tell', true],
  ['in it, and the store is known to be older than what ran last', false],
])(
  'a WAL that was moved away leaves the store of the last checkpoint, sound; the start of its server was %s',
  async (_, isFolded) => {
    await withFolder(async (folder) => {
      const [living, file] = [join(folder, 'living.db'), join(folder, 'main.db')];
      const options = { checkpoints: false, openings: join(folder, 'openings') };
      await openStore(living, options).close();
      const store = openStore(living, options);
      await store.write(put('row 0'));
      if (isFolded) store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      await store.write(put('row 1'));
      // As a kill leaves it, but for its WAL.
      copyFileSync(living, file);
      const left = openStore(file, options);
      expect([rowsIn(left), soundness(left)]).toEqual([isFolded ? 1 : 0, 'ok']);
      const isOlder = readMeta(left.db, engineEpoch)?.startsWith('restored') ?? false;
      expect(isOlder).toBe(!isFolded);
      await Promise.all([store.close(), left.close()]);
    });
  },
);

test('a WAL whose header is damaged is refused by its own name, is kept, and doctor finds it, too', async () => {
  await withHome('killed', async (file) => {
    const before = statSync(`${file}-wal`).size;
    overwrite(`${file}-wal`, 8, 16);
    const error = refusalOf(file);
    expect(error.code).toBe('database_damaged');
    expect(error.message).toContain(`${file}-wal`);
    expect(statSync(`${file}-wal`).size).toBe(before);
    const { problems } = await checkDatabase(file, new Date().toISOString(), null);
    expect(problems[0]).toContain(`${file}-wal`);
  });
});

test('a kill while a database is made leaves none, and the next start makes it', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'main.db');
    writeFileSync(`${file}.new`, '');
    const store = openStore(file, { checkpoints: false });
    const { homeId } = store;
    await store.close();
    expect(readdirSync(folder)).toEqual(['main.db']);
    const again = openStore(file, { checkpoints: false });
    expect(again.homeId).toBe(homeId);
    await again.close();
  });
});

test('a page in the middle costs what lies on it: that is answered as damage, all else goes on', async () => {
  await withHome('closed', async (file) => {
    const store = openStore(file, { checkpoints: false });
    const { rootpage } = store.db.get<{ rootpage: number }>(
      `SELECT rootpage FROM sqlite_schema WHERE name = 'turns'`,
    )!;
    await store.close();
    overwrite(file, (rootpage - 1) * 4096, 4096);
    const damaged = openStore(file, { checkpoints: false });
    const touch = damaged.write(({ db }) => db.all('SELECT * FROM turns'));
    await expect(touch).rejects.toMatchObject({ code: 'database_damaged' });
    await damaged.write(put('row 200'));
    expect(rowsIn(damaged)).toBe(201);
    await damaged.close();
  });
});

test.each<[string, Deed, (rows: number) => boolean]>([
  [
    'torn at its end by a kill',
    (wal) => truncateSync(wal, statSync(wal).size - 2000),
    (n) => n === 199,
  ],
  [
    'cut in the middle',
    (wal) => truncateSync(wal, Math.floor(statSync(wal).size / 2)),
    (n) => n > 50 && n < 150,
  ],
  [
    'with a page of garbage in its middle',
    (wal) => overwrite(wal, Math.floor(statSync(wal).size / 2), 4096),
    (n) => n > 50 && n < 150,
  ],
])(
  'of a WAL %s what stands before the damage counts, commit by commit, and the store is sound',
  async (_, deed, isRight) => {
    await withHome('killed', async (file) => {
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(500_000);
      deed(`${file}-wal`);
      const store = openStore(file, { checkpoints: false });
      expect(isRight(rowsIn(store))).toBe(true);
      expect(soundness(store)).toBe('ok');
      await store.write(put('after'));
      await store.close();
    });
  },
);
