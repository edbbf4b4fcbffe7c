import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { keepServerFile } from '../../api/server-file.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';
import { until } from '../launcher/launcher-fixture.ts';

test('a server file that was deleted is written again, until the server ends', async () => {
  await withFolder(async (folder) => {
    const paths = homePaths(folder);
    const file = keepServerFile(paths, () => writeFileSync(paths.serverFile, 'how to find it'));
    file.tell();
    rmSync(paths.serverFile);
    await until('it is there again', () => existsSync(paths.serverFile));
    file.remove();
    file.tell();
    await sleep(1_500);
    expect(existsSync(paths.serverFile)).toBe(false);
  });
});
