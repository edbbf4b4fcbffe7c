import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FaultPoint } from '../../faults/points.ts';
import { startFaultStack, type FaultStack } from './fault-stack.ts';
import { allPoints } from './scenarios.ts';
import { untilEngineRests } from './in-engine.ts';
import { walk } from './walk.ts';

/** Each of these is a tree in which the server dies once at each point, in this order, as far as it passes them. */
const walks: FaultPoint[][] = [
  ['secrets kept', 'lease taken', 'wait begun'],
  ['accept uncommitted', 'claim answered', 'wait over'],
  ['accepted', 'spawned', 'standing by'],
  ['slot given', 'output heard', 'callback queued'],
  ['start ordered', 'start heard'],
  ['outbox read', 'events reported', 'callbacks handed'],
  ['sent', 'program exited', 'ending uncommitted'],
  ['marked', 'run swept', 'finish committed'],
  ['step taken', 'result parsed', 'events kept'],
  ['session step taken', 'outcome spooled', 'time uncommitted'],
  ['claimed', 'outcome taken', 'lease over', 'acknowledged'],
  ['cancel uncommitted', 'orders given', 'stop signalled'],
  ['cancel flagged', 'stop heard'],
  ['boot swept', 'hello recorded', 'hello answered'],
  ['left spool sent', 'lost marked'],
  ['epoch reconciled', 'store opened', 'port open'],
  ['rebuild uncommitted', 'repair uncommitted'],
];

let stack: FaultStack & { stop(): Promise<void> };
beforeAll(async () => void (stack = await startFaultStack()), 90_000);
afterAll(() => stack.stop(), 60_000);

test('the server dies at every point in one of these walks', () => {
  expect(walks.flat().toSorted()).toEqual(allPoints.toSorted());
});

test.each(walks.map((points) => [points.join(', '), points] as const))(
  'a server that is killed at each of these costs nothing but time: %s',
  async (_, points) => {
    const deaths = points.map((point) => ({ point, nth: 1, kill: ['server' as const] }));
    await walk(stack, deaths);
  },
  120_000,
);

test('of all that was walked nothing goes on in the engine', () => untilEngineRests(stack), 60_000);
