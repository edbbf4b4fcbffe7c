/** Whatever a text is made of, its piece is whole characters, and what stands in it is where it is said to be. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { limits } from '../../contract/limits.ts';
import { cutExcerpt } from '../../search/excerpt.ts';

const bits = fc.constantFrom(
  ...['word', ' ', '\n', 'x'.repeat(50), '🙂', '👩‍👩‍👧', 'e\u0301', '漢字', '\u200d', '…', '🏳️‍🌈'],
);
const needle = 'needle';

test('no character is cut in two, and each place is one of the piece', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 8, arbitrary: bits }, fc.constant(` ${needle} `)), {
        maxLength: 300,
      }),
      (parts) => {
        const text = parts.join('');
        const spans = [...text.matchAll(/needle/g)].map(({ index }) => ({
          start: index,
          end: index + needle.length,
        }));
        const words = [...text.matchAll(/word/g)].map(({ index }) => ({
          start: index,
          end: index + 4,
        }));
        const { text: excerpt, offsets } = cutExcerpt(text, [spans, words], [2, 1]);
        const piece = excerpt.replace(/^…/, '').replace(/…$/, '');
        expect(text).toContain(piece);
        expect(excerpt.isWellFormed()).toBe(true);
        expect(excerpt.length).toBeLessThanOrEqual(330);
        expect(offsets.length).toBeLessThanOrEqual(limits.searchOffsetsMax);
        for (const { start, end } of offsets) {
          expect([needle, 'word']).toContain(text.slice(start, end));
        }
        if (spans.length > 0) expect(excerpt).toContain(needle);
      },
    ),
    { numRuns: 2000 },
  );
});
