import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { identifyProcess } from '../../engine/process-identity.ts';
import { writePidFile } from '../../engine/pid-file.ts';
import { takeHome } from '../../engine/home-lock.ts';
import { openStore } from '../../store/index.ts';
import { knownSchema } from '../../store/migrate.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { cli } from './cli-harness.ts';

/** A home with a store that no server has. */
async function withStoppedHome(use: (home: string) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    await openStore(homePaths(home).database, { checkpoints: false }).close();
    await use(home);
  });
}

test('backup asks the server that runs, with the path as it is seen from here', async () => {
  const taken = {
    file: '/b/x.db',
    bytes: 1_234_567,
    takenAt: '2026-01-01T00:00:00Z',
    schema: knownSchema(),
  };
  await withFakeServer(
    (_, response) => answerJson(response, taken),
    async ({ url, seen }) => {
      const run = await cli(['backup', '--to', 'x.db'], { url, cwd: '/b' });
      expect(run).toMatchObject({ exitCode: 0, out: '/b/x.db: 1.2 MB, verified\n' });
      expect(seen).toMatchObject([
        { method: 'POST', url: '/api/backups', body: { to: '/b/x.db' } },
      ]);
      const json = await cli(['backup', '--json'], { url });
      expect(JSON.parse(json.out)).toEqual(taken);
      expect(seen[1]!.body).toEqual({});
    },
  );
});

test('without a server it takes the home and copies by itself, also where a killed one left its file', async () => {
  await withStoppedHome(async (home) => {
    const { serverFile, token: tokenFile, backups } = homePaths(home);
    const first = await cli(['backup'], { home });
    expect(first).toMatchObject({ exitCode: 0, out: expect.stringContaining(backups) });
    const temporal = { address: null, namespace: 'default', uiUrl: null };
    writeFileSync(tokenFile, 'x');
    writeFileSync(
      serverFile,
      JSON.stringify({ url: 'http://127.0.0.1:1', pid: 999_999_999, tokenFile, temporal }),
    );
    expect(await cli(['backup'], { home })).toMatchObject({ exitCode: 0 });
    expect(readdirSync(backups)).toHaveLength(2);
    const release = takeHome(home);
    const refused = await cli(['backup'], { home });
    expect(refused).toMatchObject({ exitCode: 5, out: '' });
    expect(refused.err).toContain(`offshoot server, pid ${process.pid}`);
    release();
  });
});

test('a home without a store has nothing to be copied', async () => {
  await withFolder(async (home) => {
    const run = await cli(['backup'], { home });
    expect(run).toMatchObject({ exitCode: 3, out: '' });
    expect(run.err).toContain('nothing to be copied');
  });
});

test('restore says of when the store is, where the old one is, and what becomes of what was open', async () => {
  await withStoppedHome(async (home) => {
    await cli(['backup', '--to', join(home, 'x.db')], { home });
    const run = await cli(['restore', 'x.db'], { home, cwd: home });
    expect(run.exitCode).toBe(0);
    expect(run.out).toMatch(/^The store is as it was at 20\d\d-/);
    expect(run.out).toContain(`${homePaths(home).database}.replaced-`);
    expect(run.out).toContain('outcome_unknown');
    // Of the same moment, as the clock of this test stands still.
    for (const name of readdirSync(home)) {
      if (name.includes('replaced')) rmSync(join(home, name));
    }
    const json = await cli(['restore', 'x.db', '--json'], { home, cwd: home });
    expect(JSON.parse(json.out)).toMatchObject({ file: join(home, 'x.db'), schema: knownSchema() });
  });
});

test.each([
  ['a launcher', 'launcherFile'],
  ['a server', null],
] as const)('restore is refused while %s has the home, and names it', async (_, file) => {
  await withStoppedHome(async (home) => {
    const paths = homePaths(home);
    await cli(['backup', '--to', join(home, 'x.db')], { home });
    const before = readdirSync(home).toSorted();
    let release = () => {};
    if (file === null) release = takeHome(home);
    else {
      writePidFile(paths[file], identifyProcess(process.pid)!);
    }
    const run = await cli(['restore', join(home, 'x.db')], { home });
    release();
    expect(run).toMatchObject({ exitCode: 5, out: '' });
    expect(run.err).toContain(String(process.pid));
    expect(run.err).toContain('offshoot down');
    expect(readdirSync(home).toSorted()).toEqual(before);
    expect(existsSync(`${paths.database}.restoring`)).toBe(false);
  });
});

test('a backup that is not there, or none at all, is told with its own exit code', async () => {
  await withStoppedHome(async (home) => {
    expect(await cli(['restore', 'none.db'], { home, cwd: home })).toMatchObject({ exitCode: 3 });
    writeFileSync(join(home, 'words.txt'), 'no database '.repeat(500));
    const run = await cli(['restore', 'words.txt'], { home, cwd: home });
    expect(run).toMatchObject({ exitCode: 5, out: '' });
    expect(run.err).toContain('not a database');
  });
});

test('restore without a file lists what can be named, newest first, and ends as wrong usage', () =>
  withFolder(async (home) => {
    const { backups } = homePaths(home);
    const none = await cli(['restore'], { home });
    const words = `offshoot: There is no backup in ${backups}.\n  \`offshoot backup\` takes one.\n`;
    expect(none).toMatchObject({ exitCode: 2, out: '', err: words });
    mkdirSync(backups);
    const older = join(backups, 'main-2026-03-01T12-00-00-000Z.db');
    const newer = join(backups, 'main-2026-03-02T12-00-00-000Z.db');
    writeFileSync(older, 'x'.repeat(1_500));
    writeFileSync(newer, 'x');
    writeFileSync(join(backups, 'notes.db'), 'x');
    const listed = await cli(['restore'], { home });
    expect(listed.exitCode).toBe(2);
    expect(listed.out.split('\n')).toEqual([
      'TAKEN                   SIZE  FILE',
      `2026-03-02T12:00:00Z     1 B  ${newer}`,
      `2026-03-01T12:00:00Z  1.5 kB  ${older}`,
      '',
    ]);
    expect(listed.err).toBe(
      'offshoot: No backup was named.\n  `offshoot restore <file>` puts one back; `offshoot backup` takes one now.\n',
    );
    const json = await cli(['restore', '--json'], { home });
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.out)).toEqual({
      backups: [
        { file: newer, takenAt: '2026-03-02T12:00:00.000Z', bytes: 1 },
        { file: older, takenAt: '2026-03-01T12:00:00.000Z', bytes: 1_500 },
      ],
    });
    expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'bad_request' } });
  }));
