import { expect, test } from '@jest/globals';
import { stopSchema } from '../../contract/hooks.ts';
import { limits } from '../../contract/limits.ts';
import { keptFields } from '../../contract/unknown-fields.ts';

const parse = (fields: object) => stopSchema.parse({ harness: 'some', ...fields }).extra;
const room = limits.hookExtraBytesMax;

test('what no hook knows is kept as it is while there is room', () => {
  const fields = { mode: 'plan', more: { of: [1, null] }, long: 'x'.repeat(room / 2) };
  expect(parse(fields)).toEqual(fields);
  expect(parse({})).toBeNull();
});

test('of what has no room its name and size are kept, and what is small beside it', () => {
  const long = 'x'.repeat(room);
  expect(parse({ before: 1, long, after: [2] })).toEqual({
    ...{ before: 1, after: [2] },
    offshootLeftOut: { count: 1, fields: [{ name: 'long', bytes: room + '["long",""]'.length }] },
  });
});

test('fields without end are counted, and the first of them named, in so many characters', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `${at} ${'é'.repeat(300)}`);
  const extra = parse(Object.fromEntries(names.map((name) => [name, name.length])))!;
  const { offshootLeftOut: left, ...kept } = extra;
  const count = names.length - Object.keys(kept).length;
  expect(left).toMatchObject({ count });
  expect((left as { fields: unknown[] }).fields).toHaveLength(50);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(room);
  expect(Buffer.byteLength(JSON.stringify(extra))).toBeLessThan(1.5 * room);
});

test('what is nested deeper than a body may be is not looked through', () => {
  let deep: unknown = 1;
  for (let levels = 0; levels < 100_000; levels += 1) deep = [deep];
  expect(keptFields([['deep', deep]], room)).toEqual({
    offshootLeftOut: { count: 1, fields: [{ name: 'deep', bytes: null }] },
  });
});
