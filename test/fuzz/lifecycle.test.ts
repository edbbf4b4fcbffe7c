/**
 * Whatever happens, in whatever order: the promises of the lifecycle hold after every single step, and
 * all comes to a true end. `npm run test:fuzz` looks much longer, from another seed each time.
 */
import { test } from '@jest/globals';
import { fuzzLifecycle } from './fuzz-lifecycle.ts';

const SEED = 20260801;
const RUNS = 60;

test('no order of requests, crashes and losses breaks a promise of the lifecycle', async () => {
  await fuzzLifecycle({ seed: SEED, numRuns: RUNS });
}, 180_000);
