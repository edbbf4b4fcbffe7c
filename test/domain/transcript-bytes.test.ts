import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { bytesOfBuffer, bytesOfText, type TranscriptBytes } from '../../domain/transcript-bytes.ts';

const BLOCK = 8;
/** Any string: also half a pair of surrogates, which becomes the replacement character. */
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const halves = fc
  .array(fc.constantFrom('aaaa', 'aaa', 'a', 'é', '日', '😀', '\ud83d', '\ude00'), {
    maxLength: 60,
  })
  .map((units) => units.join(''));

test('the blocks of a text are those of its bytes, whatever characters stand on their edges', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, halves), (text) => {
      expect(blocksOf(bytesOfText(text))).toEqual(blocksOf(bytesOfBuffer(Buffer.from(text))));
    }),
    { numRuns: 2000 },
  );
});

test('from any byte on, the rest of a text is that of its bytes, gone through before or not', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, halves), fc.boolean(), (text, isGoneThrough) => {
      const bytes = Buffer.from(text);
      const given = bytesOfText(text);
      if (isGoneThrough) blocksOf(given);
      for (let at = 0; at <= bytes.length; at += 1) {
        expect(given.from(at).toString('hex')).toBe(bytes.toString('hex', at));
      }
    }),
    { numRuns: 500 },
  );
});

test('only the last block may be shorter, and nothing is one empty block', () => {
  expect(blocksOf(bytesOfText('')).map(({ hex }) => hex)).toEqual(['']);
  expect(blocksOf(bytesOfText('12345678')).map(({ isLast }) => isLast)).toEqual([true]);
  expect(blocksOf(bytesOfText('123456789')).map(({ hex }) => hex.length / 2)).toEqual([8, 1]);
});

function blocksOf(bytes: TranscriptBytes): { hex: string; isLast: boolean }[] {
  const found: { hex: string; isLast: boolean }[] = [];
  for (const { block, isLast } of bytes.blocks(BLOCK)) {
    found.push({ hex: block.toString('hex'), isLast });
  }
  return found;
}
