import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import type { Span } from '../../domain/found-spans.ts';
import { apiKeys, namedSecrets, signedTokens } from '../../domain/long-secrets.ts';
import { signToken } from '../../domain/token.ts';

const cut = (find: (text: string) => Iterable<Span>, text: string) =>
  [...find(text)].map(({ from, to }) => text.slice(from, to));

/** Put together here, so that no scanner of this repository takes them for real ones. */
const sk = (rest: string) => ['sk', rest].join('-');
const ownToken = signToken('secret', {
  ...{ role: 'agent', agentId: 'main', permissions: [], expiresAt: '' },
  project: `/${'p'.repeat(limits.pathCharsMax - 1)}`,
});

test.each<[string, string[]]>([
  [`${sk('a'.repeat(15))} ${sk(`1${'a'.repeat(15)}`)}`, [sk(`1${'a'.repeat(15)}`)]],
  [sk(`${'a'.repeat(200)}1`), [sk(`${'a'.repeat(200)}1`)]],
  [sk(`${'a'.repeat(201)}1`), []],
  [`x${sk('1'.repeat(16))}`, []],
  // The digit is too far from the first, and not from the second.
  [sk(`${'a'.repeat(100)}-${sk(`${'a'.repeat(150)}1`)}`), [sk(`${'a'.repeat(150)}1`)]],
])('an API key has a digit soon in it: %s', (text, keys) => {
  expect(cut(apiKeys, text)).toEqual(keys);
});

test.each<[string, string[]]>([
  ['eyJ12345678.1234.1234', ['eyJ12345678.1234.1234']],
  ['eyJ1234567.1234.1234 eyJ12345678.123.1234', []],
  [`eyJ${'a'.repeat(501)}.1234.1234`, [`eyJ${'a'.repeat(501)}.1234.1234`]],
  [`eyJ12345678.${'a'.repeat(8001)}.1234`, [`eyJ12345678.${'a'.repeat(8001)}.1234`]],
  // The same dots, from another beginning.
  ['eyJ12345678.eyJ12345678.1234.1234', ['eyJ12345678.eyJ12345678.1234']],
  ['eyJ12345678.123.eyJ12345678.1234.1234', ['eyJ12345678.1234.1234']],
  [`off_${'a'.repeat(16)}.${'b'.repeat(16)}.c`, [`off_${'a'.repeat(16)}.${'b'.repeat(16)}`]],
  [`off_${'a'.repeat(16)}.${'b'.repeat(15)}`, []],
  [ownToken, [ownToken]],
])('a signed token has all its parts: %s', (text, tokens) => {
  expect(cut(signedTokens, text)).toEqual(tokens);
});

test.each<[string, string[]]>([
  ['token=a1b2c3d4;password: "a1b2c3d4e5"', ['a1b2c3d4', 'a1b2c3d4e5']],
  ['token=a1b2c3d', []],
  ['token=\\a1b2c3d', ['\\a1b2c3d']],
  ['"token\\": \\"a1b2c3d4\\"', ['a1b2c3d4']],
  ['"token\\": \\"a1b2c3d\\"', []],
  ['token=token=a1b2c3d4', ['token=a1b2c3d4']],
  ['secret=src/a1b2c3d4.ts', []],
  [`secret=${'a'.repeat(201)}1`, []],
])('a named secret is all of its value: %s', (text, values) => {
  expect(cut(namedSecrets, text)).toEqual(values);
});
