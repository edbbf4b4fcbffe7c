import { expect, test } from '@jest/globals';
import { createCounter, createHistogram, gauge } from '../../telemetry/instruments.ts';
import { prometheusText } from '../../telemetry/prometheus-text.ts';
import { parseMetrics } from './parse-metrics.ts';

test('a histogram counts each value in its bucket and in all larger ones, bounds included', () => {
  const took = createHistogram('took_seconds', 'How long.', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) took.observe({ mode: 'SYNC' }, value);
  const { value, types } = parseMetrics(prometheusText([took.read()]));
  expect(types.get('took_seconds')).toBe('histogram');
  const bucket = (le: string) => value(`took_seconds_bucket{le="${le}",mode="SYNC"}`);
  expect([bucket('0.1'), bucket('1'), bucket('+Inf')]).toEqual([2, 3, 4]);
  expect(value('took_seconds_count{mode="SYNC"}')).toBe(4);
  expect(value('took_seconds_sum{mode="SYNC"}')).toBeCloseTo(7.65);
});

test('a counter keeps one series per set of labels, and names are written so that they can be read again', () => {
  const ended = createCounter('ended_total', 'With a \\ and\na second line.');
  ended.add({ host: 'a "quoted" \\ name\n' });
  ended.add({ host: 'b' }, 2);
  ended.add({ host: 'b' });
  const text = prometheusText([ended.read(), gauge('rows', 'Rows.', 3)]);
  const { value, series } = parseMetrics(text);
  expect(series('ended_total')).toHaveLength(2);
  expect(value('ended_total{host="a \\"quoted\\" \\\\ name\\n"}')).toBe(1);
  expect([value('ended_total{host="b"}'), value('rows')]).toEqual([3, 3]);
});

test.each([
  'a 1',
  '# TYPE a gauge\na one\n',
  '# TYPE a gauge\na{b=c} 1\n',
  '# TYPE a gauge\na 1\na 1\n',
])('what is not the format is found: %j', (text) => {
  expect(() => parseMetrics(text)).toThrow();
});
