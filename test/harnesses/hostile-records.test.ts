/** Records as no program should write them: whatever a field holds, what is read of it can be kept. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { parserFor } from '../../harnesses/index.ts';
import { timeOf, type JsonObject } from '../../harnesses/json.ts';
import { captureNames, programOf, readCapture } from '../support/captures.ts';

const records = captureNames
  .filter((name) => /transcript|rollout|chat|stream|run-/.test(name) && name.endsWith('.jsonl'))
  .flatMap((name) =>
    readCapture(name)
      .trimEnd()
      .split('\n')
      .filter((line) => line.length < 10_000)
      .map((line) => [programOf(name), JSON.parse(line) as JsonObject] as const),
  );

/** One field of it, at any depth, is something else. */
function changed(value: unknown, path: readonly number[], by: unknown): unknown {
  const [at, ...deeper] = path;
  if (at === undefined || typeof value !== 'object' || value === null) return by;
  const names = Object.keys(value);
  if (names.length === 0) return by;
  const name = names[at % names.length]!;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[name] = changed(copy[name], deeper, by);
  return copy;
}

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(-1, 1e300, 0, '', '\0', '\ud800', '+010000-01-01T00:00:00Z', {}, [], [[]]),
);

test('whatever one field of a record holds, its line is kept, and what is said of it can be stored', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...records),
      fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
      strange,
      ([program, record], path, by) => {
        const line = `${JSON.stringify(changed(record, path, by))}\n`;
        const entries = parserFor(program, line)(line);
        expect(entries.map(({ raw }) => raw).join('')).toBe(line);
        for (const entry of entries) expectStorable(entry);
      },
    ),
    { numRuns: 5_000 },
  );
});

function expectStorable({ role, text, at, id, tools }: TranscriptEntry): void {
  expect(['user', 'assistant', 'tool', 'mark']).toContain(role);
  for (const one of [text, id ?? '', ...tools.map((tool) => tool.text + (tool.name ?? ''))]) {
    expect(typeof one === 'string' && one.isWellFormed()).toBe(true);
  }
  if (at !== null) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  // A tool may have nothing to say.
  if (role === 'user' || role === 'assistant') expect(text).not.toBe('');
}

const record = (role: string, content: string) => JSON.stringify({ role, content });
const both = [record('user', 'hi'), record('assistant', 'yo')] as const;

test.each<[string, string, string[]]>([
  ['ends of line of Windows', `${both.join('\r\n')}\r\n`, ['user hi', 'assistant yo']],
  ['a byte order mark', `\ufeff${both.join('\n')}`, ['user hi', 'assistant yo']],
  ['lines of whitespace', `\n \t\r\n${both.join('\n\n   \n')}\n\n`, ['user hi', 'assistant yo']],
  ['NUL in words', record('user', 'a\0b'), ['user a\0b']],
  [
    'plain text with a byte order mark',
    '\ufeffUser: hi\nAssistant: yo',
    ['user hi', 'assistant yo'],
  ],
  [
    'plain text of Windows',
    'User: hi\r\nAssistant: yo\r\nso\r\n',
    ['user hi', 'assistant yo\r\nso'],
  ],
  ['a number as its role', '{"role":1,"content":"hi"}', []],
  ['numbers as content', '{"role":"user","content":[1,{"text":2},"hi",null]}', ['user hi']],
])('%s: who spoke is read all the same', (_, text, said) => {
  const entries = parserFor('openclaw', text)(text);
  expect(entries.map(({ raw }) => raw).join('')).toBe(text);
  const spoken = entries.filter(({ role }) => role !== 'mark');
  expect(spoken.map((entry) => `${entry.role} ${entry.text}`)).toEqual(said);
});

test.each<[unknown, string | null]>([
  ['2026-11-18T09:35:20.123456789Z', '2026-11-18T09:35:20.123Z'],
  ['2026-11-18 09:35:20+01:00', '2026-11-18T08:35:20.000Z'],
  ['Wed, 18 Nov 2026 09:35:20 GMT', '2026-11-18T09:35:20.000Z'],
  [1_763_458_520_123, '2025-11-18T09:35:20.123Z'],
  [1_763_458_520, '2025-11-18T09:35:20.000Z'],
  ['1763458520123', '2025-11-18T09:35:20.123Z'],
  ['1763458520.5', '2025-11-18T09:35:20.500Z'],
  ...[0, -1, Number.NaN, Infinity, 1e300, true, null, [], {}].map((one): [unknown, null] => [
    one,
    null,
  ]),
  ...['', '0', '-5', 'call 5', 'step 12', 'v1.2', '2026-13-45T00:00:00Z'].map(
    (one): [unknown, null] => [one, null],
  ),
  ...['10000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'].map((one): [unknown, null] => [one, null]),
])('%j is the time %j', (given, at) => {
  expect(timeOf(given)).toBe(at);
});

test('a text that is longer than any time is none, and is not looked through', () => {
  const timeIn = (zone: string) => timeOf(`Wed Nov 18 2026 09:35:20 GMT+0000 (${zone})`);
  expect(timeIn('Coordinated Universal Time')).toBe('2026-11-18T09:35:20.000Z');
  expect(timeIn('of'.repeat(50))).toBeNull();
  expect(timeOf('2026 '.repeat(1_000_000))).toBeNull();
});
