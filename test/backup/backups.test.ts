import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listBackups, startSchedule } from '../../backup/index.ts';
import { until } from '../cli/cli-harness.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { inHome, putMeta, read, withHome } from './backup-fixture.ts';

const onDisk = testOnDisks('backups on a disk without writes');

test("a backup holds what was committed before it, is its owner's alone, and says what it is", async () => {
  await withHome(async ({ paths, store, backups }) => {
    await putMeta(store, 'before');
    const taken = await backups.take(null);
    await putMeta(store, 'after');
    expect(taken.file).toBe(join(paths.backups, 'main-2026-03-01T12-00-00-001Z.db'));
    expect(statSync(taken.file).mode & 0o777).toBe(0o600);
    expect(statSync(paths.backups).mode & 0o777).toBe(0o700);
    expect(taken.bytes).toBe(statSync(taken.file).size);
    const keys = read<{ key: string }>(taken.file, 'SELECT key FROM meta').map(({ key }) => key);
    expect(keys.toSorted()).toEqual(['backup_taken_at', 'before', 'home_id']);
    expect(read(taken.file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(read(taken.file, 'PRAGMA user_version')).toEqual([{ user_version: taken.schema }]);
    // The store itself is no backup.
    expect(store.db.all(`SELECT * FROM meta WHERE key = 'backup_taken_at'`)).toEqual([]);
    expect(readdirSync(paths.backups)).toHaveLength(1);
  });
});

test('only so many are kept, the newest; what is not ours is let alone, and halves go', async () => {
  await withHome(async ({ paths, backups, config, clock }) => {
    config.keep = 2;
    mkdirSync(paths.backups);
    const half = '.main-2026-01-01T00-00-00-000Z.db.half';
    for (const name of ['mine.db', 'main-old.db', half]) {
      writeFileSync(join(paths.backups, name), '');
    }
    const files: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      files.push((await backups.take(null)).file);
      clock.at += 86_400_000;
    }
    expect(listBackups(paths.backups).map(({ file }) => file)).toEqual(files.slice(2).toReversed());
    expect(readdirSync(paths.backups).toSorted()).toEqual(
      [
        ...files.slice(2).map((file) => file.split('/').at(-1)),
        'main-old.db',
        'mine.db',
      ].toSorted(),
    );
    // One of a clock that was wrong pushes out neither what is made now nor what was made before.
    writeFileSync(join(paths.backups, 'main-2099-01-01T00-00-00-000Z.db'), '');
    const { file } = await backups.take(null);
    expect(listBackups(paths.backups).map((one) => one.file)).toEqual([file, files.at(-1)]);
  });
});

test('one is due when the newest is too old, or of a future that never was', async () => {
  await withHome(async ({ paths, backups, config, clock }) => {
    expect(backups.isDue()).toBe(true);
    await backups.take(null);
    expect(backups.isDue()).toBe(false);
    clock.at += 24 * 3_600_000;
    expect(backups.isDue()).toBe(true);
    clock.at -= 23 * 3_600_000;
    expect(backups.isDue()).toBe(false);
    clock.at += 23 * 3_600_000;
    writeFileSync(join(paths.backups, 'main-2099-01-01T00-00-00-000Z.db'), '');
    expect(backups.isDue()).toBe(true);
    // Not at each look from then on: those of a minute would push out those of a week.
    await backups.take(null);
    expect(backups.isDue()).toBe(false);
    clock.at += 24 * 3_600_000;
    config.everyHours = 0;
    expect(backups.isDue()).toBe(false);
  });
});

test('a file that is there is not overwritten, and a folder that is not there is named', async () => {
  await withHome(async ({ paths, backups }) => {
    const file = inHome(paths, 'kept.db');
    writeFileSync(file, 'precious');
    await expect(backups.take(file)).rejects.toMatchObject({ code: 'bad_request' });
    expect(statSync(file).size).toBe(8);
    await expect(backups.take('/nowhere/at/all.db')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'there is no folder /nowhere/at',
      hint: expect.stringMatching(/^Make it first, or /),
    });
  });
});

test('no backup gets a name by which the store would be taken for another', async () => {
  await withHome(async ({ paths, store, backups }) => {
    await putMeta(store, 'kept');
    symlinkSync(paths.home, inHome(paths, 'link'));
    for (const name of ['main.db.restored', 'main.db.restoring', 'link/main.db.restored']) {
      const taken = backups.take(inHome(paths, name));
      await expect(taken).rejects.toMatchObject({ code: 'bad_request' });
    }
    expect(readdirSync(paths.home).filter((name) => name.includes('restor'))).toEqual([]);
    mkdirSync(paths.backups);
    await backups.take(join(paths.backups, 'main.db.restored'));
    await backups.take(inHome(paths, 'before-the-move.db'));
  });
});

test('a damaged store makes no backup, and leaves nothing half', async () => {
  await withHome(async ({ paths, store, backups }) => {
    store.db.exec('CREATE TABLE big (x TEXT)');
    for (let n = 0; n < 200; n += 1) {
      await store.write((tx) => tx.db.run(`INSERT INTO big VALUES ('${'x'.repeat(3000)}')`));
    }
    store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    damage(paths.database);
    await expect(backups.take(null)).rejects.toMatchObject({ code: 'backup_failed' });
    expect(readdirSync(paths.backups)).toEqual([]);
    await expect(backups.take(null)).rejects.toThrow('malformed');
  });
});

onDisk(
  'a folder on a disk without writes is refused as what it is, and taken when it can be written',
  () =>
    withHome(async ({ store, backups, config }) => {
      await putMeta(store, 'kept');
      const disk = openDisk(300);
      try {
        const folder = (config.folder = join(disk.folder, 'backups'));
        const refused = async () => {
          disk.mount('ro');
          await expect(backups.take(null)).rejects.toMatchObject({
            code: 'backup_failed',
            message: expect.stringContaining(disk.folder),
            hint: expect.stringContaining('may be written'),
          });
          disk.mount('rw');
        };
        // Without the folder, and with it.
        await refused();
        mkdirSync(folder);
        await refused();
        expect(readdirSync(folder)).toEqual([]);
        const { file } = await backups.take(null);
        expect(listBackups(folder).map((one) => one.file)).toEqual([file]);
      } finally {
        disk.remove();
      }
    }),
);

test('two at a time are taken one after the other, and one that fails does not stop the next', async () => {
  await withHome(async ({ paths, backups }) => {
    const results = await Promise.allSettled([
      backups.take(null),
      backups.take('/nowhere/x.db'),
      backups.take(null),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(listBackups(paths.backups)).toHaveLength(2);
  });
});

test('the schedule takes what is due, once, and says so; a failure is told once and not repeated', async () => {
  await withHome(async ({ paths, backups, config }) => {
    const lines: string[] = [];
    const stop = startSchedule(backups, (line) => lines.push(line), 5);
    await until(() => lines.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop();
    expect(lines).toEqual([
      expect.stringMatching(/^backup: .*\/main-.*Z\.db, \d+ bytes, verified$/),
    ]);
    config.folder = paths.database;
    const again = startSchedule(backups, (line) => lines.push(line), 5);
    await until(() => lines.length > 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    again();
    expect(lines).toHaveLength(2);
  });
});

test('while a copy is read, writers go on, checkpoints are held, and the copy is of one moment', async () => {
  await withHome(async ({ store, backups, holds }) => {
    store.db.exec('CREATE TABLE pair (a INTEGER); CREATE TABLE other (a INTEGER)');
    const text = 'x'.repeat(1_000_000);
    for (let n = 0; n < 40; n += 1) await putMeta(store, `big ${n}`, text);
    let isDone = false;
    const taking = backups.take(null).finally(() => (isDone = true));
    let written = 0;
    for (; !isDone; written += 1) {
      await store.write((tx) => {
        tx.db.run('INSERT INTO pair VALUES (1)');
        tx.db.run('INSERT INTO other VALUES (1)');
      });
    }
    const { file } = await taking;
    expect(written).toBeGreaterThan(10);
    expect(holds).toEqual(['hold', 'release']);
    const [counts] = read<{ a: number; b: number }>(
      file,
      'SELECT (SELECT count(*) FROM pair) AS a, (SELECT count(*) FROM other) AS b',
    );
    expect(counts!.a).toBe(counts!.b);
    expect(counts!.a).toBeLessThan(written);
  });
});

function damage(file: string): void {
  const size = statSync(file).size;
  const handle = openSync(file, 'r+');
  for (let at = 4096 * 40; at < size; at += 4096)
    writeSync(handle, Buffer.alloc(100, 7), 0, 100, at);
  closeSync(handle);
}
