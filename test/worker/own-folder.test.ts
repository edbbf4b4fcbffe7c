import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeOwnFolder } from '../../worker/host/own-folder.ts';
import { withFolder } from '../support/folder.ts';

test('below the work folder a workspace is made for nobody else to read, and is kept when it is there', () =>
  withFolder(async (home) => {
    const own = join(home, 'work/sub_1');
    makeOwnFolder(own, join(home, 'work'));
    makeOwnFolder(own, join(home, 'work'));
    expect(statSync(own).mode & 0o777).toBe(0o700);
  }));

test('a workspace that somebody named is not made', () =>
  withFolder(async (home) => {
    const named = join(home, 'workshop');
    makeOwnFolder(named, join(home, 'work'));
    expect(existsSync(named)).toBe(false);
  }));
