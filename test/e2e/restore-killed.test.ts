/** `offshoot restore`, killed between each two of its steps: what is there afterwards is one store or the other. */
import { spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { finishRestore, restoreBackup } from '../../backup/index.ts';
import { homePaths, type HomePaths } from '../../contract/home.ts';
import { faultPoints } from '../../faults/points.ts';
import { openStore } from '../../store/index.ts';
import { putMeta, read, withHome as withStore } from '../backup/backup-fixture.ts';
import { cli } from '../cli/cli-harness.ts';
import { faultBuild } from '../faults/fault-build.ts';
import { withFolder } from '../support/folder.ts';
import { cleanEnv } from './commands.ts';
import { withLoneServer } from './lone-server.ts';

const keysIn = (file: string) =>
  read<{ key: string }>(file, `SELECT key FROM meta WHERE key IN ('kept', 'lost')`).map(
    ({ key }) => key,
  );

/** A store of a killed server: what it wrote last is in its WAL alone. The backup is older. */
async function makeStore({ database }: HomePaths, backup: string): Promise<void> {
  await withStore(async (made) => {
    await putMeta(made.store, 'kept');
    await made.backups.take(backup);
    made.store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    await putMeta(made.store, 'lost');
    for (const end of ['', '-wal']) copyFileSync(made.paths.database + end, database + end);
  });
}

function damage(file: string): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, 'no header of any database', 0);
  closeSync(handle);
}

async function restoreUntil(home: string, backup: string, point: string): Promise<string | null> {
  const entry = await faultBuild();
  const child = spawn(process.execPath, [entry('cli'), 'restore', backup], {
    env: cleanEnv({ OFFSHOOT_HOME: home, OFFSHOOT_TEST_KILL_AT: point }),
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
}

interface Found {
  name: string;
  remedy: string;
}

/** What doctor tells us to do about it; empty when it has nothing to say. */
async function told(home: string): Promise<string[]> {
  const { out } = await cli(['doctor', '--json'], { home });
  const { findings } = JSON.parse(out) as { findings: Found[] };
  return findings.filter(({ name }) => name === 'restore').map(({ remedy }) => remedy);
}

const points = Object.keys(faultPoints.restore);
const isDecided = (point: string) => points.indexOf(point) >= points.indexOf('restore decided');

async function killAt(point: string, home: string, isDamaged = false): Promise<void> {
  const paths = homePaths(home);
  const backup = join(home, 'backup.db');
  await makeStore(paths, backup);
  if (isDamaged) damage(paths.database);
  expect([point, await restoreUntil(home, backup, point)]).toEqual([point, 'SIGKILL']);
  // After its very last step there is nothing to be said.
  const sayings = point === 'store replaced' ? [] : [expect.stringContaining('offshoot up')];
  expect([point, await told(home)]).toEqual([point, sayings]);
}

/** Once somebody has opened it. */
async function expectOneStore(point: string, home: string): Promise<void> {
  const { database } = homePaths(home);
  const wanted = isDecided(point) ? ['kept'] : ['kept', 'lost'];
  expect([point, keysIn(database)]).toEqual([point, wanted]);
  const aside = asideIn(home);
  expect([point, aside.map(keysIn)]).toEqual([point, isDecided(point) ? [['kept', 'lost']] : []]);
  expect([point, await told(home)]).toEqual([point, []]);
}

const asideIn = (home: string) =>
  readdirSync(home)
    .filter((name) => /^main\.db\.replaced-[^.]*Z$/.test(name))
    .map((name) => join(home, name));

test('killed at any step, a restore leaves the old store or the new one whole; doctor says what to do, and the next start does the rest', async () => {
  const one = (point: string) =>
    withFolder(async (home) => {
      await killAt(point, home);
      const { database } = homePaths(home);
      // As the server begins.
      finishRestore(database);
      await openStore(database, { checkpoints: false }).close();
      await expectOneStore(point, home);
    });
  // In pairs, as there are two cores.
  for (let n = 0; n < points.length; n += 2) {
    await Promise.all(points.slice(n, n + 2).map(one));
  }
}, 120_000);

test('a damaged store, whose WAL is taken away before the new one comes: the server puts the new one in place before it opens anything', async () => {
  const point = 'WAL set aside';
  await withLoneServer(
    { prepare: (home) => killAt(point, home, true) },
    async ({ home, client, pid }) => {
      expect((await client.call('getHealth', {})).pid).toBe(pid);
      expect(keysIn(homePaths(home).database)).toEqual(['kept']);
      const [aside] = asideIn(home);
      expect(statSync(`${aside}-wal`).size).toBeGreaterThan(0);
    },
  );
}, 60_000);

test('a WAL that is damaged, and not the database, is set aside as it is', async () => {
  await withFolder(async (home) => {
    const paths = homePaths(home);
    const backup = join(home, 'backup.db');
    await makeStore(paths, backup);
    damage(`${paths.database}-wal`);
    const { replaced } = await restoreBackup(paths, backup, new Date());
    expect(readFileSync(`${replaced}-wal`, 'utf8')).toContain('no header of any database');
    expect(keysIn(paths.database)).toEqual(['kept']);
  });
});

test('a second restore finishes the first, and keeps both of what was there', async () => {
  await withStore(async ({ paths, store, backups }) => {
    await putMeta(store, 'kept');
    const { file } = await backups.take(null);
    await putMeta(store, 'lost');
    await store.close();
    expect(await restoreUntil(paths.home, file, 'restore decided')).toBe('SIGKILL');
    const { replaced } = await restoreBackup(paths, file, new Date('2026-03-06T00:00:00Z'));
    const aside = readdirSync(paths.home).filter((name) => name.includes('.replaced-'));
    expect(aside).toHaveLength(2);
    expect(keysIn(replaced!)).toEqual(['kept']);
    expect(keysIn(paths.database)).toEqual(['kept']);
  });
}, 60_000);
