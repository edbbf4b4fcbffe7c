import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sharedSequence } from '../../domain/shared-sequence.ts';

const isInOrder = (pairs: readonly (readonly [number, number])[]) =>
  pairs.every(([x, y], at) => at === 0 || (x > pairs[at - 1]![0] && y > pairs[at - 1]![1]));

test('of short lists it is the longest: as much is shared as can be', () => {
  const few = fc.array(fc.nat(2), { maxLength: 7 });
  const most = (a: readonly number[], b: readonly number[]): number => {
    if (a.length === 0 || b.length === 0) return 0;
    const [, ...restA] = a;
    const [, ...restB] = b;
    if (a[0] === b[0]) return 1 + most(restA, restB);
    return Math.max(most(restA, b), most(a, restB));
  };
  fc.assert(
    fc.property(few, few, (a, b) => {
      const pairs = sharedSequence(a, b);
      expect(pairs).toHaveLength(most(a, b));
      expect(isInOrder(pairs) && pairs.every(([x, y]) => a[x] === b[y])).toBe(true);
    }),
  );
});

const count = 5000;
const told = Array.from({ length: count }, (_, at) => at);
/** Said again and again. */
const few = Array.from({ length: count }, (_, at) => count + (at % 3));
const without = (list: readonly number[], from: number, to: number) => [
  ...list.slice(0, from),
  ...list.slice(to),
];

test.each([
  ['a long part was taken back in its middle', told, without(told, 1000, 4000), 2000],
  ['another was, and its end is said anew', told, [...without(told, 1000, 2000), 1, 2, 3], 4000],
  ['parts were, of what is said again and again', few, without(few, 1000, 2500), 3500],
  [
    'one was changed, one put before it, and one taken back',
    told,
    [-1, ...told.slice(0, 70), -2, ...told.slice(71, 4998)],
    4997,
  ],
  ['it is told twice, first to its middle', told, [...told.slice(0, 3000), -1, ...told], 5000],
  ['what changes places with its end', told, [...told.slice(4000), ...told.slice(0, 4000)], 4000],
] as const)('of long lists, where %s, all the rest is known', (_, a, b, shared) => {
  const pairs = sharedSequence(a, b);
  expect(pairs).toHaveLength(shared);
  expect(isInOrder(pairs) && pairs.every(([x, y]) => a[x] === b[y])).toBe(true);
});
