import { expect, test } from '@jest/globals';
import { isOlder, parseVersion } from '../../engine/versions.ts';

test.each([
  ['temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)', { cli: '1.8.2', server: '1.31.2' }],
  ['temporal version 0.0.0-DEV (Server 1.31.2, UI 2.50.1)', { cli: '0.0.0-DEV', server: '1.31.2' }],
  ['tctl version 1.18.0', null],
  ['', null],
])('%j is read as %j', (text, version) => {
  expect(parseVersion(text)).toEqual(version);
});

test.each([
  ['1.6.9', '1.7.0', true],
  ['1.7.0', '1.7.0', false],
  ['1.10.0', '1.7.0', false],
  ['2.0.0', '1.7.0', false],
  ['1.7.0-rc.1', '1.7.0', false],
  ['0.0.0-DEV', '1.7.0', true],
])('%s is older than %s: %s', (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
