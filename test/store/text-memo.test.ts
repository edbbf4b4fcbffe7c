import { expect, test } from '@jest/globals';
import { createTextMemo } from '../../store/text-memo.ts';

test('a text is looked through once, until there is no room for another one', () => {
  const looked: string[] = [];
  const memo = createTextMemo<string[]>(10);
  const ask = (text: string) =>
    memo(text, (one) => {
      looked.push(one);
      return [one];
    });
  for (const text of ['abc', 'abc', 'defg', 'abc', 'defg']) expect(ask(text)).toEqual([text]);
  expect(looked).toEqual(['abc', 'defg']);
  // Three, four and four are more than ten: those before are forgotten, and it alone is known.
  for (const text of ['hijk', 'hijk', 'abc', 'hijk']) ask(text);
  expect(looked).toEqual(['abc', 'defg', 'hijk', 'abc']);
});

test('a text that has no room at all is told all the same, and keeps no more than itself', () => {
  const memo = createTextMemo<number>(2);
  let times = 0;
  const ask = (text: string) => memo(text, () => (times += 1));
  expect([ask('long'), ask('long'), ask('a'), ask('long')]).toEqual([1, 1, 2, 3]);
});
