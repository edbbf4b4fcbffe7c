import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { keepServerFile } from '../../api/server-file.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';
import { until } from '../launcher/launcher-fixture.ts';

test('a server file that was deleted is written again, until the server ends', async () => {
  await withFolder(async (folder) => {
    const paths = homePaths(folder);
    const file = keepServerFile(
      paths,
      () => writeFileSync(paths.serverFile, 'how to find it'),
      () => {},
    );
    file.tell();
    rmSync(paths.serverFile);
    await until('it is there again', () => existsSync(paths.serverFile));
    file.remove();
    file.tell();
    await sleep(1_500);
    expect(existsSync(paths.serverFile)).toBe(false);
  });
});

test('a server that ends leaves the file of another one, which has come since', async () => {
  await withFolder(async (folder) => {
    const paths = homePaths(folder);
    const written = () => readFileSync(paths.serverFile, 'utf8');
    const keep = (text: string) =>
      keepServerFile(
        paths,
        () => writeFileSync(paths.serverFile, text),
        () => {},
      );
    const [old, other] = [keep('the old one'), keep('the other one')];
    old.tell();
    other.tell();
    old.remove();
    expect(written()).toBe('the other one');
    other.remove();
    expect(existsSync(paths.serverFile)).toBe(false);
  });
});

test('in a home that took the place of its own a server writes and removes nothing, nor does it bring its own back', async () => {
  await withFolder(async (folder) => {
    const home = join(folder, 'home');
    const paths = homePaths(home);
    const write = () => {
      mkdirSync(home, { recursive: true });
      writeFileSync(paths.serverFile, 'how to find it');
    };
    mkdirSync(home);
    const file = keepServerFile(paths, write, () => {});
    file.tell();
    rmSync(home, { recursive: true });
    file.tell();
    expect(existsSync(home)).toBe(false);
    mkdirSync(home);
    file.tell();
    await sleep(1_500);
    expect(existsSync(paths.serverFile)).toBe(false);
    // Word for word its own, and still not its own.
    write();
    file.remove();
    expect(existsSync(paths.serverFile)).toBe(true);
  });
});

test('a server file that cannot be written ends nothing: said once, it is written when there is room', async () => {
  await withFolder(async (folder) => {
    const paths = homePaths(folder);
    const said: string[] = [];
    let tries = 0;
    const write = () => {
      tries += 1;
      if (tries < 3) throw new Error('ENOSPC: no space left on device, write');
      writeFileSync(paths.serverFile, 'as it is now');
    };
    writeFileSync(paths.serverFile, 'as it was');
    const file = keepServerFile(paths, write, (line) => said.push(line));
    file.tell();
    await until('it is true', () => readFileSync(paths.serverFile, 'utf8') === 'as it is now');
    expect(said).toEqual([expect.stringContaining('ENOSPC')]);
    await sleep(1_500);
    expect(tries).toBe(3);
    file.remove();
  });
});
