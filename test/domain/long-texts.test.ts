/**
 * Texts of megabytes go through patterns, and a pattern has a stack of its own. Once a process has compiled much, V8
 * compiles patterns plainly, and then a plus takes sixteen bytes of it for each character: here all are.
 */
import { setFlagsFromString } from 'node:v8';
import { afterAll, expect, test } from '@jest/globals';
import { digestOf } from '../../domain/digest.ts';
import { everyWord, saidIn } from '../../domain/mentions.ts';
import { mergeEntries } from '../../domain/merge-entries.ts';
import { singleSpaced } from '../../domain/plain-text.ts';
import { redact } from '../../domain/redact.ts';
import { parserFor } from '../../harnesses/index.ts';

setFlagsFromString('--no-regexp-optimization');
afterAll(() => setFlagsFromString('--regexp-optimization'));

const many = ['a', ' ', '한'];

test.each(many)('five million of %j in a row go through whatever looks at texts', (one) => {
  const text = `x${one.repeat(5_000_000)}x`;
  expect(redact(text)).toBe(text);
  expect(singleSpaced(text)).toBe(one.trim() === '' ? 'x x' : text);
  expect(digestOf({ summary: null, promptCount: 0, prompts: [], lastAnswer: text })).toBeTruthy();
  expect(saidIn([text], everyWord).lines).toHaveLength(1);
  const [entry] = parserFor('codex', `User: ${text}`)(`User: ${text}`);
  const known = { seq: 1, role: 'user', text, raw: null, isReported: true } as const;
  const merged = mergeEntries({ turns: [known], away: [], extent: 'all', wasPart: false }, [
    entry!,
  ]);
  expect(merged.turns).toEqual([known]);
});
