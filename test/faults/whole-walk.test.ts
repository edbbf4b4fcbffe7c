/** Every point, whoever dies there. `npm run test:faults`; a line for each death, and a summary. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FaultPoint } from '../../faults/points.ts';
import type { Name } from '../e2e/crash-fixture.ts';
import { startFaultStack, type FaultStack } from './fault-stack.ts';
import { allPoints, scenarios } from './scenarios.ts';
import { untilEngineRests } from './in-engine.ts';
import { stroll, walk, type Walked } from './walk.ts';

/** Who dies, and how far into what a family passes: early, late and in between. */
const deaths: { kill: Name[]; share: number }[] = [
  { kill: ['server', 'engine'], share: 0 },
  { kill: ['host'], share: 0.25 },
  { kill: ['server'], share: 0.5 },
  { kill: ['engine'], share: 0.75 },
];
const combinations = allPoints.flatMap((point) =>
  deaths.map(({ kill, share }) => ({ point, kill, share, who: kill.join(' + ') })),
);

let stack: FaultStack & { stop(): Promise<void> };
let passes: Map<FaultPoint, number>;
const walked: Walked[] = [];
const startedAt = Date.now();

beforeAll(async () => {
  stack = await startFaultStack();
  passes = (await stroll(stack, scenarios[0]!)) as Map<FaultPoint, number>;
}, 90_000);

afterAll(async () => {
  tell(summary());
  await stack.stop();
}, 60_000);

test.each(combinations)(
  'killed at "$point": $who',
  async ({ point, kill, share, who }) => {
    // How often the timer ticks is up to the machine, and not to the tree.
    const usual = point === 'time uncommitted' ? 1 : (passes.get(point) ?? 1);
    const nth = 1 + Math.floor((usual - 1) * share);
    try {
      const found = await walk(stack, [{ point, nth, kill }]);
      walked.push(found);
      tell(`${point.padEnd(22)} ${who.padEnd(16)} ${found.seconds.toFixed(1)} s`);
    } catch (error) {
      tell(`${point.padEnd(22)} ${who.padEnd(16)} FAILED`);
      throw error;
    }
  },
  120_000,
);

test('all points were passed', () => {
  const passed = stack.reached();
  expect(allPoints.filter((point) => !passed.has(point))).toEqual([]);
});

test('of all that was walked nothing goes on in the engine', () => untilEngineRests(stack), 60_000);

function summary(): string {
  const most = (pick: (one: Walked) => number) => Math.max(0, ...walked.map(pick)).toFixed(1);
  const sorted = walked.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return [
    `${walked.length} of ${combinations.length} deaths ended in the truth,`,
    `${((Date.now() - startedAt) / 60_000).toFixed(1)} min in all; seconds to the truth:`,
    `median ${median.toFixed(1)}, most ${most(({ seconds }) => seconds)};`,
    `"running" for something dead: ${most((one) => one.deadRunningSeconds)} s at most`,
  ].join(' ');
}

/** Past jest, which would put the place of the call around every line. */
function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
