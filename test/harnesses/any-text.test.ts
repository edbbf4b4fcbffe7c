/** Whatever a transcript holds: nothing throws, nothing is lost, and two parts read as the whole does. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { parserFor } from '../../harnesses/index.ts';
import { harnesses } from '../../harnesses/names.ts';
import { linesOf } from '../../harnesses/parse-records.ts';
import { captureNames, readCapture } from '../support/captures.ts';

const captured = captureNames
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readCapture(name).trimEnd().split('\n'))
  .filter((line) => line.length < 3_000);

const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...captured) },
  { weight: 2, arbitrary: cutOff(fc.constantFrom(...captured)) },
  fc.string({ unit: 'binary' }),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '',
    '{',
    '[',
    '[{',
    '}',
    ']',
    '"',
    'User: hi',
    'Assistant:',
    '\r',
    '\u2028',
    '{"messages":[',
  ),
  fc.record({ type: fc.string(), message: fc.jsonValue(), payload: fc.jsonValue() }).map(asJson),
);
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const harness = fc.constantFrom(...harnesses, 'another');

test('any text comes out as it went in, and nothing throws', () => {
  fc.assert(
    fc.property(harness, text, (name, given) => {
      expect(joined(parserFor(name, given)(given))).toBe(given);
    }),
    { numRuns: 3_000 },
  );
});

test('a line ends behind its line feed, and at nothing else', () => {
  const some = fc
    .array(fc.constantFrom('\n', '\r', '\u2028', 'a', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(some, (given) => {
      expect(linesOf(given)).toEqual(given === '' ? [] : given.split(/(?<=\n)/));
    }),
    { numRuns: 1_000 },
  );
});

test('cut anywhere, the parts are what was written', () => {
  fc.assert(
    fc.property(harness, text, fc.nat(), (name, given, where) => {
      const cut = where % (given.length + 1);
      const parts = [given.slice(0, cut), given.slice(cut)];
      expect(joined(parts.flatMap((part) => parserFor(name, part)(part)))).toBe(given);
    }),
    { numRuns: 3_000 },
  );
});

test('records cut between two lines read the same in two parts as in one', () => {
  const lines = fc.array(fc.constantFrom(...captured), { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(fc.constantFrom(...harnesses), lines, fc.nat(), (name, given, where) => {
      const cut = 1 + (where % (given.length - 1));
      const parts = [given.slice(0, cut), given.slice(cut)].map((some) => some.join('\n'));
      const [head, tail] = [`${parts[0] ?? ''}\n`, parts[1] ?? ''];
      const parse = (some: string) => parserFor(name, some)(some);
      expect([...parse(head), ...parse(tail)]).toEqual(parse(head + tail));
    }),
    { numRuns: 1_000 },
  );
});

test('JSON nested deeper than any stack is kept', () => {
  const deep = `{"type":"user","message":{"content":[{"type":"tool_use","input":${'['.repeat(1e5)}${']'.repeat(1e5)}}]}}`;
  expect(joined(parserFor('claude-code', deep)(deep))).toBe(deep);
});

test('ten megabytes of any one character take no longer than reading them', () => {
  for (const character of ['\n', ' ', '{', '[', '"', '\\', 'a']) {
    const long = character.repeat(1e7);
    const start = performance.now();
    expect(joined(parserFor('codex', long)(long))).toHaveLength(long.length);
    // Two seconds at most; hours, were each looked at once for each.
    expect(performance.now() - start).toBeLessThan(60_000);
  }
}, 300_000);

function cutOff(lines: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(lines, fc.nat()).map(([some, where]) => some.slice(0, where % (some.length + 1)));
}

function asJson(value: unknown): string {
  return JSON.stringify(value);
}

function joined(entries: TranscriptEntry[]): string {
  return entries.map((entry) => entry.raw).join('');
}
