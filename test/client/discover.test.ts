import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { discover, findServer } from '../../client/discover.ts';
import { homePaths } from '../../contract/home.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-discover-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const server = {
  url: 'http://127.0.0.1:9',
  pid: 1,
  temporal: { address: null, namespace: 'default', uiUrl: null },
};

test('the server of a home is found by its files', () => {
  const paths = homePaths(home);
  writeFileSync(paths.token, 'off_x\n');
  writeFileSync(paths.serverFile, JSON.stringify({ ...server, tokenFile: paths.token }));
  expect(discover(home)).toMatchObject({ url: 'http://127.0.0.1:9', token: 'off_x' });
});

test('a copy of a home does not lead to the server of the other', () => {
  const original = join(home, 'original');
  mkdirSync(original);
  const paths = homePaths(original);
  writeFileSync(paths.token, 'off_x\n');
  writeFileSync(paths.serverFile, JSON.stringify({ ...server, tokenFile: paths.token }));
  const copy = join(home, 'copy');
  cpSync(original, copy, { recursive: true });
  expect(() => discover(copy)).toThrow(`No server is running on ${copy}`);
  symlinkSync(original, join(home, 'another-name'));
  expect(discover(join(home, 'another-name')).token).toBe('off_x');
});

test('what is named is filled up from the home, and no token goes to another address', () => {
  const paths = homePaths(home);
  writeFileSync(paths.token, 'off_admin\n');
  writeFileSync(paths.serverFile, JSON.stringify({ ...server, tokenFile: paths.token }));
  const find = (url: string | null, token: string | null) => {
    const { url: to, token: by } = findServer({ url, token }, home);
    return [to, by];
  };
  expect(find(null, null)).toEqual([server.url, 'off_admin']);
  expect(find('http://b', 'off_b')).toEqual(['http://b', 'off_b']);
  expect(find(null, 'off_child')).toEqual([server.url, 'off_child']);
  expect(find(`${server.url}/`, null)).toEqual([server.url, 'off_admin']);
  expect(() => find('http://b', null)).toThrow('A token is needed for http://b.');
});

test('an address without a token is refused also where the home has no server, unless one is on its way', () => {
  const find = () => findServer({ url: 'http://b', token: null }, home);
  expect(find).toThrow('A token is needed for http://b.');
  writeFileSync(homePaths(home).serverFile, '{');
  expect(find).toThrow('A token is needed for http://b.');
  rmSync(homePaths(home).serverFile);
  const { launcherFile } = homePaths(home);
  mkdirSync(dirname(launcherFile));
  const { dev, ino } = statSync(dirname(launcherFile), { bigint: true });
  const launcher = { pid: process.pid, folder: `${dev}:${ino}` };
  writeFileSync(launcherFile, JSON.stringify(launcher));
  expect(find).toThrow(`No server is running on ${home}.`);
});

test('without a server the error says how to start one', () => {
  let error: unknown = null;
  try {
    discover(home);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    code: 'server_unavailable',
    message: `No server is running on ${home}.`,
    hint: 'Start it with `offshoot up`.',
  });
});

test('a server file that cannot be read is said to be so', () => {
  const { serverFile } = homePaths(home);
  writeFileSync(serverFile, '{');
  expect(() => discover(home)).toThrow('its server.json cannot be read');
  rmSync(serverFile);
  mkdirSync(serverFile);
  expect(() => discover(home)).toThrow('its server.json cannot be read');
});

test('a token that is missing is said to be so, with the way to a new one', () => {
  const paths = homePaths(home);
  writeFileSync(paths.serverFile, JSON.stringify({ ...server, tokenFile: paths.token }));
  let error: unknown = null;
  try {
    discover(home);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({
    code: 'unauthorized',
    message: `The token for the server of ${home} is missing: ${paths.token}.`,
    hint: expect.stringContaining('`offshoot down`, then `offshoot up`'),
  });
});
