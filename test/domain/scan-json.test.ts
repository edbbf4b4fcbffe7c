import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { holdsTooMuch, stringEnd } from '../../domain/scan-json.ts';

test.each<[string, number]>([
  ['[]', 1],
  ['[1,2,3]', 4],
  ['{"a":{"b":[1]},"c":2}', 8],
  [String.raw`["a,[{\"", "\\", "]["]`, 4],
])('%s holds no more than %i values', (json, values) => {
  expect([values - 1, values].map((max) => holdsTooMuch(json, max))).toEqual([true, false]);
});

test('no JSON holds more than is counted', () => {
  const valuesIn = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>(
          (sum, one) => sum + valuesIn(one) + (Array.isArray(value) ? 0 : 1),
          1,
        )
      : 1;
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(holdsTooMuch(json, valuesIn(JSON.parse(json)) - 1)).toBe(true);
    }),
  );
});

test('a string ends where JSON has it end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (said, more) => {
      const json = JSON.stringify(said);
      expect(stringEnd(json + more, 1)).toBe(json.length);
    }),
  );
  expect(stringEnd(String.raw`"half \"`, 1)).toBe(8);
});
