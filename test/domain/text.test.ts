import { expect, test } from '@jest/globals';
import { clip, firstLine, headAndTail } from '../../domain/text.ts';

const samples = [
  'plain words only',
  'a😀b😀c😀d😀e',
  '日本語のテキスト',
  'é'.repeat(20),
  '😀'.repeat(12),
];
const isWhole = (text: string) => !/\p{Cs}|\ufffd/u.test(text);

test('clip keeps to its length and breaks no character, wherever it cuts', () => {
  for (const sample of samples) {
    for (let max = 1; max <= sample.length + 1; max += 1) {
      const cut = clip(sample, max);
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(isWhole(cut)).toBe(true);
      if (sample.length <= max) expect(cut).toBe(sample);
      else expect(cut.endsWith('…')).toBe(true);
    }
  }
});

test('headAndTail keeps to its bytes and breaks no character, wherever it cuts', () => {
  for (const sample of samples) {
    const bytes = Buffer.byteLength(sample);
    for (let max = 1; max <= bytes + 1; max += 1) {
      const { text, omitted } = headAndTail(sample, max, (n) => `[${n}]`);
      if (bytes <= max) {
        expect({ text, omitted }).toEqual({ text: sample, omitted: 0 });
        continue;
      }
      const [head, tail] = text.split(`[${omitted}]`) as [string, string];
      expect(sample.startsWith(head)).toBe(true);
      expect(sample.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(bytes - omitted);
      expect(bytes - omitted).toBeLessThanOrEqual(max);
      expect(isWhole(text)).toBe(true);
    }
  }
});

test('the first line is the first that says something, without control characters', () => {
  expect(firstLine('\n  \n  Do this\tnow \nand that', 50)).toBe('Do this now');
  expect(firstLine('', 50)).toBe('');
  expect(firstLine('\u001b[31mred\u2028next', 50)).toBe('red next');
  expect(firstLine('word '.repeat(100), 20)).toHaveLength(20);
});

test('a line that begins far down breaks neither a character nor the mark of a secret', () => {
  const mark = '[redacted GitHub token]';
  for (let blanks = 3960; blanks <= 4000; blanks += 1) {
    expect([`say ${mark}`, 'say', 'sa', 's', '']).toContain(
      firstLine(`${'\n'.repeat(blanks)}say ${mark}`, 120),
    );
    expect(isWhole(firstLine(`${' '.repeat(blanks)}${'😀'.repeat(9)}`, 120))).toBe(true);
  }
});

test('a mark of a secret is whole, or is not there', () => {
  const text = 'key [redacted GitHub token] and [more]';
  for (let max = 1; max <= text.length; max += 1) {
    expect(clip(text, max)).not.toMatch(/\[(?!redacted GitHub token\]|m)/);
  }
  expect(clip(text, 12)).toBe('key …');
  expect(clip(text, 30)).toBe('key [redacted GitHub token] a…');
});
