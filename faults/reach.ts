import type { FaultPoint } from './points.ts';

/**
 * Says that a point is passed, and does nothing. No switch turns it on: the tests run a copy of
 * `dist/` in which this one file is another (`test/faults/armed-reach.mjs`).
 */
export function reach(_point: FaultPoint): void {}
