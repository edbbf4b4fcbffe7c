import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { leadingLengths } from '../../domain/leading-lengths.ts';
import { placeOf } from '../../domain/snapshot-place.ts';

test('from each place on, as many as both begin with', () => {
  const few = fc.array(fc.nat(2), { maxLength: 12 });
  fc.assert(
    fc.property(few, few, (keys, list) => {
      const plainly = list.map((_, start) => {
        const at = list.slice(start).findIndex((one, more) => one !== keys[more]);
        return at < 0 ? list.length - start : at;
      });
      expect([...leadingLengths(keys, list)]).toEqual(plainly);
    }),
  );
});

const said = (words: string, told = '') => [
  ...words.split('').map((one) => ({ words: one, isReported: true })),
  ...told.split('').map((one) => ({ words: one, isReported: false })),
];
const whole = { mayBeWhole: true, wasPart: false };
const part = { mayBeWhole: true, wasPart: true };

test.each([
  ['it has gone on', said('abc'), 'abcd', whole, { from: 0, isWhole: true }],
  ['the last of them, and more', said('abc'), 'cd', whole, { from: 2, isWhole: false }],
  ['it has gone back to its first words', said('abab'), 'ac', whole, { from: 0, isWhole: true }],
  ['its first words are said again', said('abcd'), 'ae', part, { from: 4, isWhole: false }],
  ['a hook has said so', said('abcd', 'a'), 'ae', whole, { from: 4, isWhole: false }],
  ['with the answer', said('abcd', 'ae'), 'ae', whole, { from: 4, isWhole: false }],
  ['all of it, after parts', said('abcdae'), 'abcdaef', part, { from: 0, isWhole: true }],
  ['more of what is first than of the end', said('abca'), 'abd', part, { from: 0, isWhole: true }],
  ['what hooks have told in between', said('ab', 'cd'), 'bcxd', whole, { from: 1, isWhole: false }],
] as const)('%s', (_, known, keys, program, place) => {
  expect(placeOf(known, keys.split(''), program)).toEqual(place);
});

test.each([
  ['of the same words', () => 'a', () => 'a'],
  ['that share none', (at: number) => `a${at}`, (at: number) => `b${at}`],
])('a hundred thousand messages %s have their place in a moment', (_, one, other) => {
  const list = (of: (at: number) => string) => Array.from({ length: 100_000 }, (__, at) => of(at));
  const known = list(one).map((words) => ({ words, isReported: true }));
  const begin = performance.now();
  placeOf([...known, ...said('xyz')], [...list(other), 'p', 'q'], whole);
  // It took more than a minute as each place was compared with each.
  expect(performance.now() - begin).toBeLessThan(3000);
});
