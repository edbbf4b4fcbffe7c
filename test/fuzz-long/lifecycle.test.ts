/** The same for minutes, from another seed each time. What it finds is repeated by seed and path. */
import { test } from '@jest/globals';
import { fuzzLifecycle } from '../fuzz/fuzz-lifecycle.ts';

const RUNS = 3000;

test('no order of requests, crashes and losses breaks a promise of the lifecycle', async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`seed ${seed}`);
  await fuzzLifecycle({ seed, numRuns: RUNS });
}, 1_800_000);
