import { setFlagsFromString } from 'node:v8';
import { afterAll, expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { redact, redactLine, redactValue } from '../../domain/redact.ts';
import { cpuTime, growth, notNearly16 } from '../support/growth.ts';

// As patterns are compiled in a process that has compiled much: with less room, and slower.
setFlagsFromString('--no-regexp-optimization');
afterAll(() => setFlagsFromString('--regexp-optimization'));

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
  ['GitLab token', made('glpat-', 'abcdefghij0123456789')],
  ['Google key', made('AIza', 'SyA0123456789abcdefghijklmnopqrstuv')],
  ['npm token', made('npm_', '0123456789abcdefghijklmnopqrstuvwxyz')],
  ['token', made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop')],
  ['token', made('off_', 'eyJyb2xlIjoiYWRtaW4ifQ.abcdefghijklmnopqrst')],
])('a %s goes, and the words around it stay: %s [signet 34]', (kind, secret) => {
  expect(redact(`it is ${secret}, as I said`)).toBe(`it is [redacted ${kind}], as I said`);
  expect(redact(secret)).toBe(`[redacted ${kind}]`);
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
  [
    `AUTHORIZATION: BASIC ${made('dXNlcjpw', 'YXNz')}`,
    'AUTHORIZATION: BASIC [redacted credential]',
  ],
  [`x-auth: BEARER ${made('abcdef0123', '456789xyz')}`, 'x-auth: BEARER [redacted credential]'],
  ['postgres://app:hunter2@db/main', 'postgres://app:[redacted password]@db/main'],
  [`API_KEY="${made('a1b2c3', 'd4e5f6')}"`, 'API_KEY="[redacted secret]"'],
  [`password: ${made('correct7', 'horse')}`, 'password: [redacted secret]'],
  [`token := "${made('correct7', 'horse')}"`, 'token := "[redacted secret]"'],
  [`SECRET_KEY='${made('correct7', 'horse')}'`, "SECRET_KEY='[redacted secret]'"],
  [`privateKey: ${made('correct7', 'horse')}`, 'privateKey: [redacted secret]'],
  [`My-API_keY = ${made('correct7', 'horse')}`, 'My-API_keY = [redacted secret]'],
  [
    `curl -d "{\\"password\\": \\"${made('correct7', 'horse')}\\"}"`,
    'curl -d "{\\"password\\": \\"[redacted secret]\\"}"',
  ],
  [
    `'Authorization': 'Basic ${made('dXNlcjpw', 'YXNz')}'`,
    "'Authorization': 'Basic [redacted credential]'",
  ],
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
  'token: domain/token2.ts, secrets: config/v2/secrets-1.yaml',
  'a basic src/components/Button2.tsx and basic integration-tests-v2',
  '{"url":"http://localhost:3000","email":"me@example.com"}',
])('paths, commit ids and common words stay: %s [signet 34]', (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  [(secret: string) => `curl -d '{"password": "${secret}"}'`, made('correct7', 'horse')],
  [(secret: string) => `curl -d "{\\"password\\": \\"${secret}\\"}"`, made('correct7', 'horse')],
  [(secret: string) => `{"Authorization": "Basic ${secret}"}`, made('dXNlcjpw', 'YXNz')],
])('it goes from JSON, and from JSON that is a text of JSON', (around, secret) => {
  const levels = [around(secret)];
  for (let level = 0; level < 2; level += 1) levels.push(JSON.stringify({ a: levels.at(-1) }));
  for (const text of levels) {
    const [before, after] = text.split(secret);
    expect(redact(text)).toMatch(/\[redacted \w+\]/);
    expect(redact(text).replace(/\[redacted \w+\]/, '')).toBe(`${before}${after}`);
  }
});

const key = made('-----BEGIN ', 'PRIVATE KEY-----');
test.each<[string, string]>([
  ...['a', '0', '.', '/', '-', '=', '\\', '@', 'é'].map((one): [string, string] => [
    'token=a1b2c3d4',
    one,
  ]),
  ['token=', 'x'],
  ['token', ' '],
  [`${key}\n`, 'a'],
  [key, '\n'],
  [key, '\\n'],
  [key, '\nQUJD'],
  ['://', 'a'],
  ['://a:', 'a'],
  ['Bearer a1', 'a'],
  ['Bearer', ' '],
  ['Authorization: Basic ', 'a'],
  [made('eyJ', 'abcdefghij'), 'a'],
  [made('sk', '-1'), 'a'],
])(
  'eight million characters are looked through, whatever they are: %j and then %j',
  (start, one) => {
    const text = start + one.repeat(8_000_000 / one.length);
    const safe = redact(text);
    if (start.startsWith('token=a')) expect(safe).toBe('token=[redacted secret]');
  },
);

test('a line of JSON stays one, and is the same to the byte where there is no secret in it', () => {
  const secret = made('ghp_', '0123456789abcdefghijABCDEFGHIJ012345');
  const line = (text: string, more: object = {}) =>
    `, ${JSON.stringify({ said: [{ text: `a "${text}"\n` }], more, n: 1 })} \n`;
  expect(redactLine(line(secret))).toBe(line('[redacted GitHub token]'));
  expect(redactLine(line('', { [secret]: 1 }))).toBe(line('', { '[redacted GitHub token]': 1 }));
  const named = (of: string) => line('', { env: { DB_PASSWORD: of, tokens: ['a1b2c3d4e5'] } });
  expect(redactLine(named(made('correct7', 'horse')))).toBe(named('[redacted secret]'));
  const escaped = '{"url":"https:\\/\\/app:hunter2@db","n":1.0}\n';
  expect(redactLine(escaped)).toBe('{"url":"https://app:[redacted password]@db","n":1}\n');
  for (const kept of ['{ "n" : 1.0e2, "path":"a\\/b" }\r\n', '{"half":', ']}', 'User: hi\n', '']) {
    expect(redactLine(kept)).toBe(kept);
  }
  expect(redactLine(`{"half": "${secret}`)).toBe('{"half": "[redacted GitHub token]');
  const deep = `${'['.repeat(1e5)}"${secret}"${']'.repeat(1e5)}`;
  expect(redactLine(deep)).not.toContain(secret);
  // Of more values than are made of one text it is a text.
  const many = `[${'1,'.repeat(limits.jsonValuesMax)}"${secret}"]\n`;
  expect(redactLine(many) === many.replace(secret, '[redacted GitHub token]')).toBe(true);
});

test('what has no secret in it is the same value', () => {
  const value = { a: [{ b: 'c' }, 1, null], ['__proto__']: 'x', password: 'short' };
  expect(redactValue(value)).toBe(value);
});

test('what was redacted is left alone', () => {
  const text = [
    `token=${made('a1b2c3', 'd4e5f6')} https://me:pw@host`,
    `Bearer ${made('abcdef0123', '456789xyz')} ${pem}${pemEnd}`,
  ].join('\n');
  expect(redact(redact(text))).toBe(redact(text));
  expect(redact(text)).not.toBe(text);
});

/** It has what some secrets begin with, so that all that looks for them looks at all of it. */
const sized = (piece: string, chars: number) =>
  `PRIVATE KEY ${made('sk', '-')}${'a'.repeat(16)} token= ${piece.repeat(chars / piece.length)}`;

test.each([
  'token=',
  'token=a/',
  'password=\\',
  'password=\\\\\\\\"',
  made('sk', '-'),
  'eyJ-',
  'eyJ-aaaaaaaa.',
  'off_-',
  'Bearer ',
  '://a:',
  key,
  `${key}\n`,
  `${key.replace('BEGIN', 'END')}\n`,
  `${'QUJD'.repeat(16)}\n`,
  `${'PRIVATE KEY QUJD'.repeat(4)}\n`,
  'a',
  'BEGIN ',
  'AKIA',
  'authorization: ',
])('no text makes it slow: %j again and again', (piece) => {
  const redacting = (of: string) => (chars: number) => {
    const text = sized(of, chars);
    return () => redact(text);
  };
  const chars = 128 * 1024;
  // Not many times what common words cost, and four times the text not nearly sixteen times as much.
  const common = cpuTime(redacting('a few words; ')(chars));
  expect(cpuTime(redacting(piece)(chars))).toBeLessThan(12 * common);
  expect(growth(redacting(piece), chars)).toBeLessThan(notNearly16);
});
