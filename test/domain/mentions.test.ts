import { expect, test } from '@jest/globals';
import { lastMention, saidIn, wordsOf } from '../../domain/mentions.ts';

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
])('%s in %j: %s', (name, text, isThere) => {
  const at = lastMention(
    saidIn([text], () => true),
    wordsOf(name),
  );
  expect(at >= 0).toBe(isThere);
});
