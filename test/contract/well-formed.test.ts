import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { wellFormed } from '../../contract/well-formed.ts';

const text = fc
  .array(fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\ufffd'), { maxLength: 4 })
  .map((parts) => parts.join(''));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    ...[text, fc.integer(), fc.constant(null), fc.boolean()],
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(text, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

test('any JSON becomes what it is after being written as UTF-8, and is left alone where it is that already', () => {
  fc.assert(
    fc.property(json, (given) => {
      const asStored: unknown = JSON.parse(
        Buffer.from(escapesRead(JSON.stringify(given))).toString('utf8'),
      );
      expect(wellFormed(given)).toEqual(asStored);
      expect(wellFormed(asStored)).toBe(asStored);
    }),
    { numRuns: 1_000 },
  );
});

test('a field by the name of __proto__ stays a field', () => {
  const given: unknown = JSON.parse('{"__proto__":{"a":"\\ud83d"}}');
  expect(JSON.stringify(wellFormed(given))).toBe('{"__proto__":{"a":"\ufffd"}}');
});

/** `JSON.stringify` writes half a character as an escape, which is ASCII. */
function escapesRead(written: string): string {
  return written.replaceAll(/\\u(d[89a-f][0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
