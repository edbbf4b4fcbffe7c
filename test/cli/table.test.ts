import { expect, test } from '@jest/globals';
import { renderTable } from '../../cli/render/table.ts';
import { cutMiddleTo, cutTo, widthOf } from '../../cli/render/width.ts';

test('a table leaves out first what can go first, and shrinks the widest of the others', () => {
  const columns = [
    { title: 'KEY', canShrink: true, isCutInMiddle: true, wants: 16 },
    { title: 'WORDS', canShrink: true },
    { title: 'LAST', goes: 2 },
    { title: 'FIRST', goes: 1 },
  ];
  const rows = [
    [{ text: 'a:long:key:of:0123456789' }, { text: 'x' }, { text: 'two' }, { text: 'one' }],
  ];
  const shown = (width: number) => `\n${renderTable(columns, rows, { width })}`;
  expect(shown(Infinity)).toBe(`
KEY                       WORDS  LAST  FIRST
a:long:key:of:0123456789  x      two   one
`);
  expect(shown(36)).toBe(`
KEY               WORDS  LAST  FIRST
a:long:k…3456789  x      two   one
`);
  expect(shown(35)).toBe(`
KEY                     WORDS  LAST
a:long:key:…0123456789  x      two
`);
  expect(shown(20)).toBe(`
KEY            WORDS
a:long…456789  x
`);
});

test('what stands for a secret is not cut in two', () => {
  const title = 'deploy with [redacted GitHub token] to it';
  const cells = (width: number) =>
    renderTable([{ title: 'T', canShrink: true }], [[{ text: title }]], { width }).split('\n')[1];
  expect(cells(30)).toBe('deploy with…');
  expect(cells(38)).toBe('deploy with [redacted GitHub token] t…');
});

test('a table gives up the width of one column and keeps the others', () => {
  const columns = [{ title: 'A' }, { title: 'B', canShrink: true }, { title: 'N', isRight: true }];
  const rows = [[{ text: 'first' }, { text: 'a rather long text in the middle' }, { text: '7' }]];
  expect(`\n${renderTable(columns, rows, { width: 28 })}`).toBe(`
A      B                   N
first  a rather long tex…  7
`);
});

test('widths count columns, not characters', () => {
  expect(['abc', '日本', '😀', 'é', 'e\u0301', '⏱'].map(widthOf)).toEqual([3, 4, 2, 1, 1, 1]);
  expect(cutTo('日本語', 4)).toBe('日…');
  expect([4, 5, 8].map((width) => cutMiddleTo('日本語の題名', width))).toEqual([
    '日…',
    '日…名',
    '日本…名',
  ]);
});
