import { expect, test } from '@jest/globals';
import { copyFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listBackups } from '../../backup/index.ts';
import { homePaths } from '../../contract/home.ts';
import { read } from '../backup/backup-fixture.ts';
import { impatientBuild } from './impatient-build.ts';
import { withLoneServer } from './lone-server.ts';
import { until } from './stack.ts';

/** By their names, from long ago. */
const [oldest, old] = ['main-2001-01-01T00-00-00-000Z.db', 'main-2001-01-02T00-00-00-000Z.db'];

test('a server takes a backup by itself where there is none, another when that is old, and keeps no more than it shall', async () => {
  const config = { backup: { keep: 2 } };
  await withLoneServer({ config, entry: await impatientBuild() }, async ({ home, client }) => {
    const { backups: folder } = homePaths(home);
    const kept = () => listBackups(folder).map(({ file }) => basename(file));
    await client.call('registerSession', { key: 'kept' });
    const [first] = await until(
      async () => kept(),
      (names) => names.length > 0,
    );
    expect(read(join(folder, first!), 'PRAGMA integrity_check')).toEqual([
      { integrity_check: 'ok' },
    ]);
    copyFileSync(join(folder, first!), join(folder, oldest!));
    renameSync(join(folder, first!), join(folder, old!));
    const names = await until(
      async () => kept(),
      (found) => !found.includes(oldest!),
    );
    expect(names).toEqual([expect.stringMatching(/^main-20(?!01)/), old]);
    expect(read(join(folder, names[0]!), 'SELECT session_key FROM sessions')).toEqual([
      { session_key: 'kept' },
    ]);
  });
}, 60_000);
