import { expect, test } from '@jest/globals';
import { createVerifier, signToken, verifyToken, type TokenClaims } from '../../domain/token.ts';

const all: TokenClaims[] = [
  { role: 'admin' },
  { role: 'host', hostId: 'local' },
  { role: 'child', invocationId: 'sub_1', agentId: 'default' },
];

test.each(all)('a token says who holds it: %j', (claims) => {
  expect(verifyToken('secret', signToken('secret', claims))).toEqual(claims);
});

test('a token of another home is none', () => {
  expect(verifyToken('other', signToken('secret', { role: 'admin' }))).toBeNull();
});

test('no single character of a token can be changed', () => {
  const token = signToken('secret', { role: 'child', invocationId: 'sub_1', agentId: 'default' });
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(verifyToken('secret', token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
  }
});

test('claims cannot be exchanged under a signature, nor anything be added to a token', () => {
  const token = signToken('secret', { role: 'child', invocationId: 'sub_1', agentId: 'default' });
  const body = Buffer.from(JSON.stringify({ role: 'admin' })).toString('base64url');
  expect(verifyToken('secret', `off_${body}.${token.split('.')[1]}`)).toBeNull();
  for (const more of ['.', '.x', '=', ' ', 'A'])
    expect(verifyToken('secret', token + more)).toBeNull();
});

test.each(['', 'off_', 'off_.', 'off_a.b', 'Bearer off_a.b', '.', 'off_é.é', 'x'.repeat(10_000)])(
  'nonsense is no token: %j',
  (token) => {
    expect(verifyToken('secret', token)).toBeNull();
  },
);

test('what was found good once is good again, and no other token is with it', () => {
  const verify = createVerifier('secret');
  const tokenOf = (n: number) =>
    signToken('secret', { role: 'child', invocationId: `sub_${n}`, agentId: 'default' });
  // More than are kept, each twice.
  for (let n = 0; n < 2500; n += 1) {
    const claims = { role: 'child', invocationId: `sub_${n}`, agentId: 'default' };
    expect([verify(tokenOf(n)), verify(tokenOf(n))]).toEqual([claims, claims]);
  }
  const [body, signature] = tokenOf(2499).split('.');
  const other = tokenOf(1).split('.');
  expect(verify(`${other[0]}.${signature}`)).toBeNull();
  expect(verify(`${body}.${other[1]}`)).toBeNull();
  expect(verify(signToken('another', { role: 'admin' }))).toBeNull();
});
