import { expect, test } from '@jest/globals';
import { redact } from '../../domain/redact.ts';

/** Put together here, so that no scanner of this repository takes them for real ones. */
const made = (...parts: string[]) => parts.join('');
const pem = made('-----BEGIN RSA ', 'PRIVATE KEY-----\n', 'MIIEow/IBAAKCAQEA\nabc123==\n');
const pemEnd = made('-----END RSA ', 'PRIVATE KEY-----');

test.each<[string, string]>([
  ['AWS key id', made('AKIA', 'IOSFODNN7EXAMPLE')],
  ['GitHub token', made('ghp_', '0123456789abcdefghijABCDEFGHIJ012345')],
  ['GitHub token', made('github_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuv')],
  ['API key', made('sk-', 'ant-api03-abcdefghij0123456789')],
  ['API key', made('sk_', 'live_0123456789abcdefghij')],
  ['Slack token', made('xoxb-', '123456789012-abcdefghijkl')],
  ['Google key', made('AIza', 'SyA0123456789abcdefghijklmnopqrstuv')],
  ['npm token', made('npm_', '0123456789abcdefghijklmnopqrstuvwxyz')],
  ['token', made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop')],
  ['token', made('off_', 'eyJyb2xlIjoiYWRtaW4ifQ.abcdefghijklmnopqrst')],
])('a %s goes, and the words around it stay: %s [signet 34]', (kind, secret) => {
  expect(redact(`it is ${secret}, as I said`)).toBe(`it is [redacted ${kind}], as I said`);
});

test.each([
  ['whole', `${pem}${pemEnd}`, ''],
  ['without its end', pem, ''],
  ['without its beginning', `MIIEow/IBAAKCAQEAabcdefghij\nabc123==\n${pemEnd}`, ''],
])('a private key goes %s [signet 34]', (_, key, left) => {
  const safe = redact(`before\n${key}\nafter it`);
  expect(safe).toContain('before\n');
  expect(safe).toContain('[redacted private key]');
  expect(safe).not.toMatch(/MIIE|abc123/);
  expect(safe.endsWith(`${left}after it`)).toBe(true);
});

test.each([
  [
    `Authorization: Bearer ${made('abcdef0123', '456789xyz')}`,
    'Authorization: Bearer [redacted credential]',
  ],
  ['postgres://app:hunter2@db/main', 'postgres://app:[redacted password]@db/main'],
  [`API_KEY="${made('a1b2c3', 'd4e5f6')}"`, 'API_KEY="[redacted secret]"'],
  [`password: ${made('correct7', 'horse')}`, 'password: [redacted secret]'],
])('what is named as a secret goes, its name stays: %s', (text, safe) => {
  expect(redact(text)).toBe(safe);
});

test.each([
  'see src/domain/context-block.ts and /home/user/project/packages/long-name/index.ts',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b broke it',
  'token: 3f786850e387550fdab836ed7e6dc881de23001b',
  'the password resetting flow; a bearer authentication scheme; basic understanding',
  'const token: string = readToken(file)',
  'sk-learn and task-runner-configuration',
  'https://example.com/a/b?x=1',
  'secret = ./config/secrets1.yaml',
])('paths, commit ids and common words stay: %s [signet 34]', (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  'token=',
  'sk-',
  'eyJ-',
  'Bearer ',
  '://a:',
  made('-----BEGIN ', 'PRIVATE KEY-----\n'),
  `${'QUJD'.repeat(16)}\n`,
  `${'PRIVATE KEY QUJD'.repeat(4)}\n`,
  'AKIA',
])('no text makes it slow: %j again and again', (piece) => {
  const text = `PRIVATE KEY ${piece.repeat(60_000 / piece.length)}`;
  const from = performance.now();
  redact(text);
  expect(performance.now() - from).toBeLessThan(1500);
});
