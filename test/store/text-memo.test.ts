import { expect, test } from '@jest/globals';
import { createTextMemo } from '../../store/text-memo.ts';

test('a text is looked through once, until there is no room for another one', () => {
  const looked: string[] = [];
  const memo = createTextMemo<string[]>(10);
  const ask = (text: string) =>
    memo({ number: text.length + text.charCodeAt(0), text }, (one) => {
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
  const ask = (text: string) => memo({ number: 1, text }, () => (times += 1));
  expect([ask('long'), ask('long'), ask('a'), ask('long')]).toEqual([1, 1, 2, 3]);
});

test('another text of the same number is looked through anew, and takes the room of the one before', () => {
  const looked: string[] = [];
  const memo = createTextMemo<string>(6);
  const ask = (number: number, text: string) =>
    memo({ number, text }, (one) => {
      looked.push(one);
      return one;
    });
  for (const text of ['abc', 'abd', 'abd', 'abc']) expect(ask(1, text)).toBe(text);
  expect(looked).toEqual(['abc', 'abd', 'abc']);
  // There is room for two of three characters, however many there were under their numbers.
  for (const number of [2, 1, 2]) ask(number, number === 1 ? 'abc' : 'xyz');
  expect(looked).toEqual(['abc', 'abd', 'abc', 'xyz']);
});
