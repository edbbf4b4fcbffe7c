import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { capLog, lastLines } from '../../engine/cap-log.ts';
import { withFolder } from '../support/folder.ts';

test('a log over its size becomes the one old file, and its writer goes on at the start', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'a.log');
    const handle = openSync(file, 'a');
    writeSync(handle, 'first\n');
    capLog(file, 100);
    expect(existsSync(`${file}.1`)).toBe(false);
    capLog(file, 5);
    writeSync(handle, 'second\n');
    closeSync(handle);
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('first\n');
    expect(readFileSync(file, 'utf8')).toBe('second\n');
    capLog(file, 5);
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('second\n');
  });
});

test('the last lines are read from the end, and none from a log that is missing', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'a.log');
    expect(lastLines(file)).toEqual([]);
    writeFileSync(file, 'x'.repeat(100_000));
    appendFileSync(file, '\none\ntwo\nthree\n');
    expect(lastLines(file, { count: 2 })).toEqual(['two', 'three']);
  });
});

test('where there is no room for the old file it is gone, the log is cut all the same, and nothing is thrown', async () => {
  await withFolder(async (folder) => {
    const file = join(folder, 'a.log');
    writeFileSync(file, 'first\n');
    // What cannot be copied to, as on a disk without room: a half of it may be there.
    mkdirSync(`${file}.1`);
    capLog(file, 5);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
