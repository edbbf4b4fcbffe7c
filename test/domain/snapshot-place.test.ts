import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { leadingLengths } from '../../domain/leading-lengths.ts';
import { growth, notNearly16 } from '../support/growth.ts';
import { placeOf, SHARED_MIN } from '../../domain/snapshot-place.ts';

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
  ...words.split('').map((one) => ({ key: one, isReported: true })),
  ...told.split('').map((one) => ({ key: one, isReported: false })),
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
  expect(placeOf(known, keysOf(keys, SHARED_MIN / 2), program)).toEqual(place);
});

const keysOf = (keys: string, weight: number) => keys.split('').map((key) => ({ key, weight }));
const atEnd = (from: number) => ({ from, isWhole: false });

test.each([
  ['the first two', said('abcd'), 'ab', atEnd(4)],
  ['two of its middle', said('abcde'), 'bc', atEnd(5)],
  ['most of all, in another order', said('abcd'), 'dcb', atEnd(3)],
  ['its end, and more', said('abcd'), 'cde', atEnd(2)],
  ['all of it', said('abab'), 'abab', { from: 0, isWhole: true }],
] as const)('of a part whose words may well be said again, %s', (_, known, keys, place) => {
  expect(placeOf(known, keysOf(keys, 0), part)).toEqual(place);
  expect(placeOf(known, keysOf(keys, SHARED_MIN / 10), part)).toEqual(place);
});

test.each([
  ['of the same words', () => 'a', () => 'a'],
  ['of few words', (at: number) => `${at % 3}`, (at: number) => `${at % 2}`],
  ['that share none', (at: number) => `a${at}`, (at: number) => `b${at}`],
])('four times as many messages %s take not nearly sixteen times as long', (_, one, other) => {
  const placing = (count: number) => {
    const list = (of: (at: number) => string) => Array.from({ length: count }, (__, at) => of(at));
    const known = [...list(one).map((key) => ({ key, isReported: true })), ...said('xyz')];
    const keys = [...list(other), 'p', 'q'].map((key) => ({ key, weight: 1 }));
    return () => placeOf(known, keys, whole);
  };
  // It took more than a minute as each place was compared with each.
  expect(growth(placing, 5000)).toBeLessThan(notNearly16);
});
