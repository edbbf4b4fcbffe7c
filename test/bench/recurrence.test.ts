import { expect, test } from '@jest/globals';
import { soonestAgain } from '../../bench/recurrence.ts';

/** Ten minutes in samples of ten seconds: `each` at a time, from `from` on, every `period` seconds. */
function timer(period: number, { from = 0, each = 1 } = {}): number[] {
  const counts = Array.from({ length: 60 }, () => 0);
  for (let at = from; at < 600; at += period) counts[Math.floor(at / 10)]! += each;
  return counts;
}
const sum = (...all: number[][]) =>
  all[0]!.map((_, at) => all.reduce((total, counts) => total + counts[at]!, 0));
const seconds = (counts: number[], sources = 1, each = 1) =>
  soonestAgain(counts, { sources, each }) * 10;

test.each([10, 20, 30, 40])('a timer of %i s is seen, however few ask in all', (period) => {
  const own = timer(period, { from: 3 });
  expect(seconds(own)).toBe(period);
  // Six at a time are allowed, as many as a timer of ten seconds has in a minute.
  expect(seconds(own, 1, 6)).toBeLessThan(50);
  expect(seconds(timer(period, { each: 6 }), 1, 6)).toBe(period);
});

test('each of several may have its minute, and none of them less', () => {
  const minutes = [2, 11, 14, 33, 58].map((from) => timer(60, { from }));
  expect(seconds(sum(...minutes), 5)).toBe(60);
  for (const period of [10, 20, 30]) {
    const faster = timer(period, { from: 58 });
    expect(seconds(sum(...minutes.slice(0, 4), faster), 5)).toBeLessThan(50);
  }
});

test('what comes together is one moment, also where a sample cuts it in two', () => {
  const looks = timer(120, { from: 9, each: 6 });
  expect(seconds(looks, 1, 6)).toBe(120);
  const cut = looks.map((count, at) => (count === 6 ? 4 : looks[at - 1] === 6 ? 2 : 0));
  expect(seconds(cut, 1, 6)).toBe(120);
});

test('who has asked once, or never, has not asked again', () => {
  expect(seconds(timer(600))).toBe(Infinity);
  expect(seconds([0, 0, 0])).toBe(Infinity);
});
