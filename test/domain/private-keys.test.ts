import { expect, test } from '@jest/globals';
import { privateKeys } from '../../domain/private-keys.ts';

/** Put together here, so that no scanner of this repository takes them for real ones. */
const begin = ['-----BEGIN RSA ', 'PRIVATE KEY-----'].join('');
const end = ['-----END RSA ', 'PRIVATE KEY-----'].join('');
const line = `${'QUJD'.repeat(16)}\n`;

const found = (text: string) => [...privateKeys(text)].map(({ from, to }) => text.slice(from, to));

test.each<[string, string, string[]]>([
  [
    'two of them',
    `a ${begin}\n${line}${end} b ${begin}${end}`,
    [`${begin}\n${line}${end}`, begin + end],
  ],
  ['one in JSON', `"${begin}\\n${line.trim()}\\n${end}"`, [`${begin}\\n${line.trim()}\\n${end}`]],
  ['one with nothing behind it', `${begin} and then`, [begin]],
  [
    'one cut off, up to what is no line of it',
    `${begin}\n${line}so it is`,
    [`${begin}\n${line.trim()}`],
  ],
  [
    'one cut off, in JSON that is a text of JSON',
    `"${begin}\\\\n${line.trim()}\\\\n${line.trim()}\\\\nso it is"`,
    [`${begin}\\\\n${line.trim()}\\\\n${line.trim()}`],
  ],
  [
    'one cut off that stands further in',
    `key: |\n  ${begin}\n  ${line}  ${line}so it is`,
    [`${begin}\n  ${line}  ${line.trim()}`],
  ],
  [
    'one further in whose beginning is cut off',
    `so\n  ${line}\t${line}  ${end}`,
    [`  ${line}\t${line}  ${end}`],
  ],
  [
    'one whose beginning is cut off',
    `so\n${line}${line}QQ==\r\n${end}`,
    [`${line}${line}QQ==\r\n${end}`],
  ],
  ['an end in the middle of a line', `so ${end}`, []],
  ['an end that shares its dashes', `${begin}x${end}${end.slice(5)}`, [`${begin}x${end}`]],
  ['an end too far away', `${begin}${'.'.repeat(8001)}\n${end}`, [begin, end]],
  ['more lines than a key has', `${line.repeat(150)}${end}`, [`${line.repeat(101)}${end}`]],
  ['a short line in the middle', `${line}QQ==\n${line}${end}`, [`${line}${end}`]],
  ['none', 'a PRIVATE KEY of mine', []],
])('of %s all is found that belongs to it', (_, text, keys) => {
  expect(found(text)).toEqual(keys);
});
