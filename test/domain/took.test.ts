import { expect, test } from '@jest/globals';
import { tookMs } from '../../domain/took.ts';

const startedAt = '2026-01-01T00:00:01.000Z';
const completedAt = '2026-01-01T00:00:03.500Z';
const result = { content: 'x', tokenUsage: null, durationMs: 700 };

test.each([
  ['its result says it', { result, startedAt, completedAt }, 700],
  ['one that failed without a word', { result: null, startedAt, completedAt }, 2500],
  ['one that never began', { result: null, startedAt: null, completedAt }, null],
  ['one that is still at work', { result: null, startedAt, completedAt: null }, null],
])('how long it took: %s', (_, record, ms) => {
  expect(tookMs(record)).toBe(ms);
});
