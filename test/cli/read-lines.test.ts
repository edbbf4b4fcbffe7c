import { expect, test } from '@jest/globals';
import { readLines } from '../../cli/read-lines.ts';
import { limits } from '../../contract/limits.ts';

const linesOf = async (chunks: Iterable<Buffer>) => {
  async function* source() {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const one of readLines(source())) lines.push(one);
  return lines;
};

test('a text comes in whole lines, however it is cut, with or without an end', async () => {
  const text = Buffer.from('one\r\n\ntwo ä 東\nthree');
  const whole = ['one', '', 'two ä 東', 'three'];
  for (const size of [1, 2, 3, 7, 100]) {
    const count = Math.ceil(text.length / size);
    const chunks = Array.from({ length: count }, (_, n) => text.subarray(n * size, (n + 1) * size));
    expect(await linesOf(chunks)).toEqual(whole);
  }
  expect(await linesOf([Buffer.from('one\n')])).toEqual(['one']);
});

test('a line without an end is refused before it is in memory', async () => {
  let given = 0;
  function* endless() {
    for (;;) {
      given += 1;
      yield Buffer.alloc(1024 * 1024, 'x');
    }
  }
  await expect(linesOf(endless())).rejects.toThrow('Line 1 is longer than a server takes.');
  expect(given).toBe(limits.bodyBytesMax / 1024 / 1024 + 1);
});
