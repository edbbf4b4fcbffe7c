/** One walk: a tree, deaths at some points, and the truth after them. */
import { expect } from '@jest/globals';
import type { SubAgentRecord } from '../../contract/records.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '../e2e/rows.ts';
import { agentsOf, isLiving, pidOf, untilGone, untilUp } from '../e2e/crash-fixture.ts';
import type { Fault, FaultStack } from './fault-stack.ts';
import { allEnded, expectTruth, membersOf, type Tree } from './fault-tree.ts';
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
  let dying: Promise<number[]> = Promise.resolve([]);
  try {
    const tree = await scenario.run(stack, sessionKey, () => {
      dying = dieInTurn(stack, deaths, over.signal);
    });
    const { members, stillSeconds } = await untilTruth(stack, tree, watch.compare);
    const endedAt = Date.now();
    await readCallbacks(stack, sessionKey);
    await untilBegun(stack);
    over.abort();
    const times = await dying;
    const came = deaths.slice(0, times.length);
    await untilGone(agentsOf(stack.home), 5);
    const ownHostDeaths = came.filter(({ kill }) => kill.includes('host')).length;
    const hostDeaths = scenario.hostDeaths + ownHostDeaths;
    const excuses = { hostDeaths, cancelled: scenario.isCancelled };
    await expectTruth(stack, tree, members, excuses);
    const deadRunningSeconds = watch.longestMs() / 1000;
    expect(stillSeconds).toBeLessThan(stillSecondsMax);
    expect(deadRunningSeconds).toBeLessThan(deadRunningSecondsMax * Math.max(1, hostDeaths));
    const seconds = Math.max(0, endedAt - (times.at(-1) ?? endedAt)) / 1000;
    return { seconds, deadRunningSeconds, came: came.length };
  } finally {
    over.abort();
    stack.disarm();
    watch.stop();
  }
}

/** When each death came. The last look is after all is over: a point may be passed by the last call. */
async function dieInTurn(stack: FaultStack, deaths: Fault[], over: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  for (const death of deaths) {
    const before = death.kill.map((name) => pidOf(stack.home, name));
    const cameAt = stack.arm(death);
    while (!over.aborted && (cameAt() === null || !areReplaced(stack, death, before))) {
      await sleep(20);
    }
    const at = cameAt();
    if (at === null) break;
    times.push(at);
  }
  return times;
}

const areReplaced = ({ home }: FaultStack, { kill }: Fault, before: number[]) =>
  kill.every((name, index) => pidOf(home, name) !== before[index] && isLiving(pidOf(home, name)));

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

/** Every workflow has begun, also of what ended before it did. A lost message would take longer than this. */
async function untilBegun({ home }: FaultStack): Promise<void> {
  const unbegun = () =>
    rows<{ id: string }>(home, `SELECT id FROM subagent_sessions WHERE engine_state = 'unstarted'`);
  const deadline = Date.now() + stillSecondsMax * 1000;
  while (unbegun().length > 0) {
    if (Date.now() > deadline) throw new Error(`never begun: ${JSON.stringify(unbegun())}`);
    await sleep(lookEveryMs);
  }
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
