/** The times that programs write down, in the one way in which they are kept. */
import { expect, test } from '@jest/globals';
import { parserFor } from '../../harnesses/index.ts';

test.each([
  ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
  [1_700_000_000, '2023-11-14T22:13:20.000Z'],
  [1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
  ['1700000000.123', '2023-11-14T22:13:20.123Z'],
  ['20260102', null],
  ['2026', null],
  ['yesterday', null],
  [1e300, null],
  [null, null],
])('the time %j is told as %j', (timestamp, at) => {
  const text = JSON.stringify({ type: 'user', timestamp, message: { content: 'x' } });
  const [entry] = parserFor('claude-code', text)(text);
  expect([entry!.role, entry!.at]).toEqual(['user', at]);
});

test('the time of a message stands for that of its record, where this says none', () => {
  const text = JSON.stringify({
    message: { role: 'user', content: 'x', timestamp: 1_700_000_000 },
  });
  expect(parserFor('openclaw', text)(text)[0]!.at).toBe('2023-11-14T22:13:20.000Z');
});
