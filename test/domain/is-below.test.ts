import { expect, test } from '@jest/globals';
import { isBelow } from '../../domain/is-below.ts';

test.each([
  ['/repo', '/repo/web', true],
  ['/repo', '/repo', false],
  ['/repo', '/repository', false],
  ['/', '/repo', true],
])('below %s lies %s: %s', (folder, path, lies) => {
  expect(isBelow(folder, path)).toBe(lies);
});
