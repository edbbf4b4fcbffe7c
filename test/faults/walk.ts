/** One walk: a death at one point, and the truth after it. */
import { expect } from '@jest/globals';
import type { FaultPoint } from '../../faults/points.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentsOf, untilGone, untilUp, type Name } from '../e2e/crash-fixture.ts';
import type { FaultStack } from './fault-stack.ts';
import { allEnded, expectTruth, membersOf, type Tree } from './fault-tree.ts';
import { scenarioOf, type Scenario } from './scenarios.ts';
import { watchRunning } from './watch-running.ts';

export interface Walked {
  /** From the death to the last ending, as somebody who asks sees it. */
  seconds: number;
  /** The longest time for which a record said `running` of what did not live. */
  deadRunningSeconds: number;
}

/** Longer than any lease, heartbeat or resend that a mended stack still needs. */
const truthSecondsMax = 60;
const deadRunningSecondsMax = 15;
/** A tree takes more than a second; asking more often would only take time from it. */
const lookEveryMs = 100;
let sessions = 0;

export async function walk(
  stack: FaultStack,
  death: { point: FaultPoint; nth: number; kill: Name[] },
): Promise<Walked> {
  const scenario = scenarioOf(death.point);
  await untilUp(stack);
  const sessionKey = await newSession(stack);
  const watch = watchRunning(stack.home);
  try {
    let cameAt: () => number | null = () => null;
    const tree = await scenario.run(stack, sessionKey, () => (cameAt = stack.arm(death)));
    const members = await untilTruth(stack, tree, watch.compare);
    const endedAt = Date.now();
    await readCallbacks(stack, sessionKey);
    const diedAt = cameAt();
    if (diedAt === null) throw new Error(`${death.point} was not passed ${death.nth} times`);
    await untilGone(agentsOf(stack.home), 5);
    const hostDeaths = scenario.hostDeaths + (death.kill.includes('host') ? 1 : 0);
    const excuses = { hostDeaths, cancelled: scenario.isCancelled };
    await expectTruth(stack, tree, members, excuses);
    const deadRunningSeconds = watch.longestMs() / 1000;
    expect(deadRunningSeconds).toBeLessThan(deadRunningSecondsMax);
    return { seconds: Math.max(0, endedAt - diedAt) / 1000, deadRunningSeconds };
  } finally {
    watch.stop();
  }
}

/** Nobody dies: what this passes, and how often. */
export async function stroll(stack: FaultStack, scenario: Scenario): Promise<Map<string, number>> {
  await untilUp(stack);
  const before = stack.reached();
  const sessionKey = await newSession(stack);
  const tree = await scenario.run(stack, sessionKey, () => {});
  const members = await untilTruth(stack, tree, () => {});
  await readCallbacks(stack, sessionKey);
  const { hostDeaths, isCancelled } = scenario;
  await expectTruth(stack, tree, members, { hostDeaths, cancelled: isCancelled });
  const passed = [...stack.reached()].map(([point, count]): [string, number] => [
    point,
    count - (before.get(point) ?? 0),
  ]);
  return new Map(passed);
}

async function newSession({ client }: FaultStack): Promise<string> {
  const key = `walk-${process.pid}-${(sessions += 1)}`;
  await client.call('registerSession', { key });
  return key;
}

async function untilTruth(
  stack: FaultStack,
  tree: Tree,
  onRecords: (records: SubAgentRecord[]) => void,
): Promise<SubAgentRecord[]> {
  const deadline = Date.now() + truthSecondsMax * 1000;
  let members: SubAgentRecord[] = [];
  while (!allEnded(members)) {
    if (Date.now() > deadline) throw new Error(`no end in sight: ${inWords(members)}`);
    await sleep(lookEveryMs);
    // While the server is away nobody is told anything, true or not.
    members = await membersOf(stack, tree).catch(() => members);
    onRecords(members);
  }
  return members;
}

const inWords = (members: SubAgentRecord[]) =>
  members.map(({ title, status, errorCode }) => `${title} ${status} ${errorCode ?? ''}`).join(', ');

async function readCallbacks({ client }: FaultStack, key: string): Promise<void> {
  const { callbacks } = await client.call('getCallbacks', { key, status: 'open' });
  expect(callbacks).toHaveLength(1);
  await client.call('ackCallbacks', { key, ids: callbacks.map(({ id }) => id) });
}
