import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  everyWord,
  createWordFilter,
  lastMention,
  saidIn,
  wordsOf,
} from '../../domain/mentions.ts';

test.each([
  ['Juniper EX4300', 'the juniper ex4300 switch', true],
  ['EX4300-48T', 'on ex4300-48t, port 3', true],
  ['case_name', 'set case_name first', true],
  ['foo/bar.ts', 'in `src/foo/bar.ts`', true],
  ['Ada', 'adamant', false],
  ['Ada', "Ada's notes", true],
  ['東京タワー', '明日は東京タワーに行く', true],
  ['Łódź', 'from ŁÓDŹ', true],
  ['two words', 'two\n  words', true],
  ['two words', '“two” – words…', true],
  ['Ada', 'for…ada—and', true],
  ['x―y', 'X Y', true],
  ['Łódź', '“Łódź” …', true],
])('%s in %j: %s', (name, text, isThere) => {
  const words = wordsOf(name);
  for (const wanted of [everyWord, createWordFilter(words)]) {
    expect(lastMention(saidIn([text], wanted), words) >= 0).toBe(isThere);
  }
});

test('where a name stands last counts from text to text, and longer words are not it', () => {
  const at = (name: string, ...texts: string[]) => {
    const words = wordsOf(name);
    return lastMention(saidIn(texts, createWordFilter(words)), words);
  };
  expect(at('ada', 'ada', 'bob')).toBeLessThan(at('bob', 'ada', 'bob'));
  expect(at('ada', 'bob ada', 'x')).toBeLessThan(at('ada', 'x', 'ada bob'));
  expect(at('two words', 'two', 'words')).toBe(-1);
  expect(at('two words', 'two wordsmiths, two words')).toBeGreaterThan(10);
  expect(at('a', 'ab ba aba')).toBe(-1);
  expect(at('Łódź Kaliska', 'from łódź', 'to ŁÓDŹ-Kaliska!')).toBeGreaterThan(2 ** 32);
});

const pieces = [
  'ada',
  'Ada',
  'ADA1',
  'é',
  'e\u0301',
  'Łódź',
  '東京',
  'İ',
  '\u212a',
  'ﬁ',
  '😀',
  '\ud83d',
]
  .concat(['–', '“', '…', '_', '-', '\u00a0', ' ', ' ', '\n', 'x', '9'])
  .concat(['a'.repeat(9000), '東'.repeat(9000)]);
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));

test('a name is found where its words stand one after the other, in any script and however long', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), text, text, (texts, name, other) => {
      const words = wordsOf(name).slice(0, 3);
      const last = texts.findLastIndex((one) => {
        const all = wordsOf(one);
        return all.some((_, at) => words.every((word, next) => all[at + next] === word));
      });
      const wanted = createWordFilter([words, wordsOf(other)].flatMap(([first = '']) => first));
      for (const filter of [wanted, everyWord]) {
        const at = lastMention(saidIn(texts, filter), words);
        expect(at < 0 ? -1 : Math.floor(at / 2 ** 32)).toBe(words.length === 0 ? -1 : last);
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 500) },
  );
});
