import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { openStore } from '../../store/index.ts';
import { withFolder } from '../support/folder.ts';
import { cli } from './cli-harness.ts';
import { findings, named } from './doctor-fixture.ts';

test('a database that is gone from a home that had one is an error, and in a home that never had one it is none', async () => {
  await withFolder(async (home) => {
    const { database, openings } = homePaths(home);
    const store = async () => named(await findings(cli(['doctor', '--json'], { home })), 'store');
    expect(await store()).toEqual([]);
    await openStore(database, { checkpoints: false, openings }).close();
    expect(await store()).toMatchObject([{ level: 'ok' }]);
    rmSync(database);
    expect(await store()).toMatchObject([
      {
        level: 'error',
        what: expect.stringContaining(`${database} is gone`),
        remedy: expect.stringContaining('offshoot restore'),
      },
    ]);
    // A restore that was cut off brings one at the next start.
    writeFileSync(`${database}.restored`, '');
    expect(await store()).toEqual([]);
  });
});
