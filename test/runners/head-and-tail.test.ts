import { expect, test } from '@jest/globals';
import { HeadAndTail } from '../../runners/head-and-tail.ts';

const say = (bytes: number) => `<${bytes}>`;

test.each([1, 2, 3, 5, 7, 8, 9, 16, 40])(
  'however it is cut, the first and the last bytes are kept (pieces of %i)',
  (size) => {
    for (let length = 0; length <= 40; length += 1) {
      const text = Array.from({ length }, (_, n) => String.fromCharCode(65 + (n % 26))).join('');
      const kept = new HeadAndTail(5, 8);
      const bytes = Buffer.from(text);
      for (let at = 0; at < length; at += size) kept.push(bytes.subarray(at, at + size));
      const left = length - 13;
      const wanted = left > 0 ? `${text.slice(0, 5)}\n<${left}>\n${text.slice(-8)}` : text;
      expect(kept.text(say)).toBe(wanted);
      expect(kept.leftOutBytes).toBe(Math.max(0, left));
    }
  },
);

test('a character that is cut by the limit is left out, not broken', () => {
  const kept = new HeadAndTail(4, 4);
  kept.push(Buffer.from('ab👩cdefgh👩ij'));
  expect(kept.head()).toBe('ab');
  expect(kept.tail()).toBe('ij');
});

test('a character that lies across the border is whole while nothing is missing', () => {
  const kept = new HeadAndTail(4, 4);
  kept.push(Buffer.from('ab👩c'));
  expect(kept.text(say)).toBe('ab👩c');
});
