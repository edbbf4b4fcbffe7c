import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { SharedReads } from '../../operations/index.ts';

const third = Math.ceil(limits.sharedReadBytesMax / 3) + 1;

test('what is asked for again is not read again', () => {
  const shared = new SharedReads();
  const first = shared.get('a', 1, () => ({ n: 1 }));
  expect(shared.get('a', 1, () => ({ n: 2 }))).toBe(first);
});

test('what is not there is asked for again the next time', () => {
  const shared = new SharedReads();
  expect(shared.get('a', 1, () => undefined)).toBeUndefined();
  expect(shared.get('a', 1, () => ({ n: 1 }))).toEqual({ n: 1 });
});

test('beyond its bytes it forgets what was asked for longest ago, and never the last', () => {
  const shared = new SharedReads();
  const at = (key: string, bytes = third) => shared.get(key, bytes, () => ({ key, read: {} }));
  const [a, b] = [at('a'), at('b')];
  expect(at('a')).toBe(a);
  at('c');
  expect(at('a')).toBe(a);
  expect(at('b')).not.toBe(b);
  const huge = at('huge', 2 * limits.sharedReadBytesMax);
  expect(at('huge')).toBe(huge);
  expect(at('a')).not.toBe(a);
});
