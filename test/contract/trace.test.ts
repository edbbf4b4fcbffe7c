import { expect, test } from '@jest/globals';
import { formatTraceparent, parseTraceparent } from '../../contract/trace.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-03`, true],
  // A later version may say more than we know.
  [`cc-${traceId}-${spanId}-01-more`, true],
])('%s is a trace that is sampled: %p', (text, sampled) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, sampled });
});

test.each([
  null,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01\r\nx: y`,
])('%j is as if nothing had been said', (text) => {
  expect(parseTraceparent(text)).toBeNull();
});

test('what is written is what was read', () => {
  const text = `00-${traceId}-${spanId}-01`;
  expect(formatTraceparent(parseTraceparent(text)!)).toBe(text);
});
