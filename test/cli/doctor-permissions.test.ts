import { statSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { checkPermissions } from '../../cli/doctor/permissions.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';

test('files of another owner are told, and the remedy touches nothing but the home', async () => {
  await withFolder(async (home) => {
    const { token } = homePaths(home);
    writeFileSync(token, 'x', { mode: 0o600 });
    const { uid } = statSync(token);
    const other = uid + 1000;
    expect(checkPermissions(home, other)).toMatchObject(
      [home, token].map((path) => ({
        level: 'error',
        what: `${path} belongs to user ${uid}, and you are ${other}`,
        remedy: expect.stringContaining(`sudo chown -R ${other} '${home}'`),
      })),
    );
    for (const who of [uid, 0, null]) {
      expect(checkPermissions(home, who)[1]).toMatchObject({ name: 'token file', level: 'ok' });
    }
  });
});
