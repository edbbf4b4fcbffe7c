/** 100,000 queries, from another seed each time. What it finds is repeated by seed and path. */
import { expect, test } from '@jest/globals';
import { fuzzQueries } from '../search/fuzz-queries.ts';

const COUNT = 100_000;

test('none of 100,000 queries fails or finds what is foreign', async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`seed ${seed}`);
  const { queries, fruitful } = await fuzzQueries({ seed, count: COUNT });
  expect(queries).toBe(COUNT);
  expect(fruitful).toBeGreaterThan(COUNT / 5);
}, 1_800_000);
