import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { findHookTarget } from '../../cli/hook/hook-target.ts';
import { putFile, withFolder } from '../support/folder.ts';

test.each(['home', 'file', 'file/home'])(
  'the server that the environment names is found also where there is no home: %s',
  (path) =>
    withFolder(async (folder) => {
      putFile(folder, 'file');
      const server = { url: 'http://127.0.0.1:8464', token: 'off_x' };
      const environment = { ...server, home: null, noHooks: null };
      const target = findHookTarget({ environment, home: join(folder, path) });
      expect(target).toEqual({ server, spool: null });
    }),
);
