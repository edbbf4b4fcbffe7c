import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFaultStack, type FaultStack } from './fault-stack.ts';
import { allPoints, scenarios } from './scenarios.ts';
import { stroll, walk } from './walk.ts';

let stack: FaultStack & { stop(): Promise<void> };
/** How often an undisturbed family passes each point. */
let passes: Map<string, number>;

beforeAll(async () => {
  stack = await startFaultStack();
  passes = await stroll(stack, scenarios[0]!);
}, 90_000);
afterAll(() => stack.stop(), 60_000);

test.each(allPoints)(
  'a server that is killed at "%s" costs nothing but time',
  async (point) => {
    const nth = Math.max(1, Math.floor((passes.get(point) ?? 0) / 2));
    await walk(stack, { point, nth, kill: ['server'] });
  },
  90_000,
);

test('all points were passed', () => {
  const passed = stack.reached();
  expect(allPoints.filter((point) => !passed.has(point))).toEqual([]);
});
