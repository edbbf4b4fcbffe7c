/** One walk: a tree, deaths at some points, and the truth after them. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubAgentRecord } from '../../contract/records.ts';
import { agentsOf, isLiving, pidOf, untilGone, untilUp } from '../e2e/crash-fixture.ts';
import type { Death, Fault, FaultStack } from './fault-stack.ts';
import { allEnded, expectTruth, membersOf, type Tree } from './fault-tree.ts';
import { untilInEngine } from './in-engine.ts';
import { scenarioOf, type Scenario } from './scenarios.ts';
import { watchRunning } from './watch-running.ts';

export interface Walked {
  /** From the last death to the last ending, as somebody who asks sees it. */
  seconds: number;
  /** The longest time for which a record said `running` of what did not live. */
  deadRunningSeconds: number;
}

/**
 * Less than the 30 s after which a message without effect is sent again: that would hide one that was
 * lost. In which nothing changes, not until the end: a busy machine takes long over what it does.
 */
const stillSecondsMax = 25;
/** Longer than any lease, heartbeat or resend that a mended stack still needs. */
const truthSecondsMax = 60;
/** For each host that dies. */
const deadRunningSecondsMax = 15;
/** A tree takes more than a second; asking more often would only take time from it. */
const lookEveryMs = 100;
/** What three trees do not pass either is not left out by chance. */
const treesMax = 4;
let sessions = 0;

/**
 * Several deaths come one after the other, each when what died before is there again. How often a tree
 * passes a point is up to what happens to come together: output may be told with its ending, and a run be
 * over before its workflow asks for a lease. What did not come in one tree comes in the next, at its
 * first passage.
 */
export async function walk(stack: FaultStack, deaths: Fault[]): Promise<Walked> {
  let left = deaths;
  let walked: Walked = { seconds: 0, deadRunningSeconds: 0 };
  for (let tree = 0; tree < treesMax; tree += 1) {
    const { came, ...seen } = await walkTree(stack, left);
    walked = {
      seconds: Math.max(walked.seconds, seen.seconds),
      deadRunningSeconds: Math.max(walked.deadRunningSeconds, seen.deadRunningSeconds),
    };
    left = left.slice(came).map((death) => ({ ...death, nth: 1 }));
    if (left.length === 0) return walked;
    process.stdout.write(`not passed in tree ${tree + 1}: ${left[0]!.point}\n`);
  }
  throw new Error(`${left[0]!.point} was not passed in ${treesMax} trees`);
}

/** How many of the deaths came, and what was seen after them. */
async function walkTree(stack: FaultStack, deaths: Fault[]): Promise<Walked & { came: number }> {
  const scenario = scenarioOf(deaths[0]!.point);
  await untilUp(stack);
  const sessionKey = await newSession(stack);
  const watch = watchRunning(stack.home);
  const over = new AbortController();
  let dying: Promise<Death[]> = Promise.resolve([]);
  try {
    const tree = await scenario.run(stack, sessionKey, () => {
      dying = dieInTurn(stack, deaths, over.signal);
    });
    const { members, stillSeconds } = await untilTruth(stack, tree, watch.compare);
    const endedAt = Date.now();
    await readCallbacks(stack, sessionKey);
    const hasForgotten = scenario.isEngineForgotten;
    await untilInEngine(stack, { members, hasForgotten }, stillSecondsMax);
    over.abort();
    const died = await dying;
    const came = deaths.slice(0, died.length);
    await expectDead(came, died);
    await untilGone(agentsOf(stack.home));
    const ownHostDeaths = came.filter(({ kill }) => kill.includes('host')).length;
    const hostDeaths = scenario.hostDeaths + ownHostDeaths;
    const excuses = { hostDeaths, cancelled: scenario.isCancelled };
    await expectTruth(stack, tree, members, excuses);
    const deadRunningSeconds = watch.longestMs() / 1000;
    expect(stillSeconds).toBeLessThan(stillSecondsMax);
    expect(deadRunningSeconds).toBeLessThan(deadRunningSecondsMax * Math.max(1, hostDeaths));
    const seconds = Math.max(0, endedAt - (died.at(-1)?.at ?? endedAt)) / 1000;
    return { seconds, deadRunningSeconds, came: came.length };
  } finally {
    over.abort();
    stack.disarm();
    watch.stop();
  }
}

/** Those that came. The last look is after all is over: a point may be passed by the last call. */
async function dieInTurn(stack: FaultStack, deaths: Fault[], over: AbortSignal): Promise<Death[]> {
  const died: Death[] = [];
  for (const fault of deaths) {
    const whenDied = stack.arm(fault);
    while (!over.aborted && !areReplaced(stack, fault, whenDied())) await sleep(20);
    const death = whenDied();
    if (death === null) break;
    died.push(death);
  }
  return died;
}

const areReplaced = ({ home }: FaultStack, { kill }: Fault, death: Death | null) =>
  death !== null &&
  kill.every(
    (name, index) => pidOf(home, name) !== death.pids[index] && isLiving(pidOf(home, name)),
  );

/** A death that was ordered and hit nobody would prove nothing. */
async function expectDead(came: Fault[], died: Death[]): Promise<void> {
  for (const [index, { point, kill }] of came.entries()) {
    const { pids } = died[index]!;
    expect([point, kill.filter((_, n) => pids[n] === null)]).toEqual([point, []]);
    await untilGone(pids as number[]);
  }
}

/** Nobody dies: what this passes, and how often. */
export async function stroll(stack: FaultStack, scenario: Scenario): Promise<Map<string, number>> {
  await untilUp(stack);
  const before = stack.reached();
  const sessionKey = await newSession(stack);
  const tree = await scenario.run(stack, sessionKey, () => {});
  const { members } = await untilTruth(stack, tree, () => {});
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
): Promise<{ members: SubAgentRecord[]; stillSeconds: number }> {
  const deadline = Date.now() + truthSecondsMax * 1000;
  let members: SubAgentRecord[] = [];
  let changedAt = Date.now();
  let stillMs = 0;
  while (!allEnded(members)) {
    if (Date.now() > deadline) throw new Error(`no end in sight: ${inWords(members)}`);
    await sleep(lookEveryMs);
    // While the server is away nobody is told anything, true or not.
    const found = await membersOf(stack, tree).catch(() => members);
    onRecords(found);
    stillMs = Math.max(stillMs, Date.now() - changedAt);
    if (inWords(found) !== inWords(members)) changedAt = Date.now();
    members = found;
  }
  return { members, stillSeconds: stillMs / 1000 };
}

const inWords = (members: SubAgentRecord[]) =>
  members.map(({ title, status, errorCode }) => `${title} ${status} ${errorCode ?? ''}`).join(', ');

async function readCallbacks({ client }: FaultStack, key: string): Promise<void> {
  const { callbacks } = await client.call('getCallbacks', { key, status: 'open' });
  expect(callbacks).toHaveLength(1);
  await client.call('ackCallbacks', { key, ids: callbacks.map(({ id }) => id) });
}
