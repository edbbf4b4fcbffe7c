import { expect, test } from '@jest/globals';
import { heardAt, momentSchema } from '../../contract/moments.ts';
import { sessionEndSchema } from '../../contract/hooks.ts';
import { listSubagentsSchema } from '../../contract/requests.ts';
import { listSessionsSchema } from '../../contract/session-requests.ts';
import { timeOf } from '../../harnesses/json.ts';

test.each([
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2026-03-08T10:00:00.123456789+05:30',
  '9999-12-31T23:59:59.9999999Z',
])('%s is a point in time that compares as text', (at) => {
  expect(momentSchema.parse(at)).toBe(at);
  expect(new Date(at).toISOString()).toMatch(/^\d{4}-/);
});

test.each([
  ['0000-12-31T23:59:59Z'],
  ['0000-01-01T00:00:00+23:59'],
  ['0001-01-01T00:00:00+00:01'],
  ['9999-12-31T23:59:59-23:59'],
  [`2026-03-08T10:00:00.${'1'.repeat(2_000_000)}Z`],
  ['2026-13-08T10:00:00Z'],
  ['yesterday'],
])(
  'what has no four digits of year, or no end, is refused under the name of its field: %#',
  (at) => {
    for (const [schema, input] of [
      [sessionEndSchema, { harness: 'x', at }],
      [listSessionsSchema, { since: at }],
      [listSubagentsSchema, { since: at }],
      [listSubagentsSchema, { until: at }],
    ] as const) {
      const { error } = schema.safeParse(input);
      expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([
        Object.keys(input).at(-1),
      ]);
      expect(error?.message.length).toBeLessThan(1_000);
    }
  },
);

const now = '2026-03-08T10:00:00.000Z';
test.each([
  ['what is not said', undefined, now],
  ['the past', '2026-03-08T11:59:59.5+02:00', '2026-03-08T09:59:59.500Z'],
  ['a clock that is somewhat ahead', '2026-03-08T10:05:00Z', '2026-03-08T10:05:00.000Z'],
  ['a clock that is far ahead', '2026-03-08T10:05:00.001Z', now],
  ['the last of all times', '9999-12-31T23:59:59Z', now],
  ["a program's zero", '0001-01-01T00:00:00Z', now],
])('%s is heard at a time that later ones can come after', (_, said, heard) => {
  expect(heardAt(said, now)).toBe(heard);
});

test("a time in a program's record is one that compares as text, or none", () => {
  expect(timeOf(253_402_300_799_999)).toBe('9999-12-31T23:59:59.999Z');
  expect(timeOf(253_402_300_800_000)).toBeNull();
  expect(timeOf('9999-12-31T23:59:59-23:59')).toBeNull();
  expect(timeOf('+010000-01-01T00:00:00Z')).toBeNull();
});
