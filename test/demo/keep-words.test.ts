import { expect, test } from '@jest/globals';
import { leftWords, untilWords } from '../../demo/keep-words.ts';

test('a stack that is kept up says how it is ended', () => {
  expect(untilWords('/tmp/a b')).toBe(
    "It stays up until Ctrl-C, or: OFFSHOOT_HOME='/tmp/a b' npx offshoot down",
  );
});

test('its home is named when it has ended; only one of its own is told to be deleted', () => {
  expect(leftWords('/tmp/offshoot-demo-x', true)).toBe(
    'Its home is kept: /tmp/offshoot-demo-x\nNothing needs it any more; it may be deleted.',
  );
  expect(leftWords('/home/me/notes', false)).toBe('Its home is kept: /home/me/notes');
});
