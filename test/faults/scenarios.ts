/** What has to happen for a point to be passed, each with the points for which it is needed. */
import { rmSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { faultPoints, type FaultPoint } from '../../faults/points.ts';
import { until } from '../e2e/stack.ts';
import type { Fault, FaultStack } from './fault-stack.ts';
import { endlessFamily, membersOf, mixedFamily, startTree, type Tree } from './fault-tree.ts';

export interface Scenario {
  name: string;
  points: readonly FaultPoint[];
  /** Hosts that die on the way to the point. */
  hostDeaths: number;
  isCancelled: boolean;
  /** The engine's database is deleted. */
  isEngineForgotten: boolean;
  /** Starts a tree under the session and lets what is to come come; `arm` is called on the way. */
  run(stack: FaultStack, sessionKey: string, arm: () => void): Promise<Tree>;
}

const cancelPoints = [
  'cancel uncommitted',
  'cancel flagged',
  'orders given',
  'stop heard',
  'stop signalled',
] as const;
const hostBootPoints = [
  'left spool sent',
  'boot swept',
  'hello recorded',
  'lost marked',
  'hello answered',
] as const;
const serverBootPoints = ['store opened', 'port open', 'epoch reconciled'] as const;
const rebuildPoints = ['rebuild uncommitted', 'repair uncommitted'] as const;
const elsewhere = new Set<FaultPoint>([
  ...cancelPoints,
  ...hostBootPoints,
  ...serverBootPoints,
  ...rebuildPoints,
]);
/** Of the stack. A restore is killed in `test/e2e/restore-killed`, where none runs. */
export const allPoints = [faultPoints.server, faultPoints.host].flatMap(
  (points) => Object.keys(points) as FaultPoint[],
);

export const scenarios: Scenario[] = [
  {
    name: 'a family',
    points: allPoints.filter((point) => !elsewhere.has(point)),
    hostDeaths: 0,
    isCancelled: false,
    isEngineForgotten: false,
    async run(stack, sessionKey, arm) {
      arm();
      return startTree(stack, sessionKey, mixedFamily);
    },
  },
  {
    name: 'a cancelled family',
    points: cancelPoints,
    hostDeaths: 0,
    isCancelled: true,
    isEngineForgotten: false,
    async run(stack, sessionKey, arm) {
      const tree = await startTree(stack, sessionKey, endlessFamily);
      const isAtWork = (title: string) => (one: { title: string | null; status: string }) =>
        one.title === title && one.status === 'running';
      await until(
        () => membersOf(stack, { sessionKey }),
        (found) => found.some(isAtWork('a1')) && found.some(isAtWork('c1')),
      );
      arm();
      await stack.client.call('cancelSubagent', { id: tree.root.id });
      return tree;
    },
  },
  {
    name: 'a new host',
    points: hostBootPoints,
    hostDeaths: 1,
    isCancelled: false,
    isEngineForgotten: false,
    // Killed with an ending on disk, so that there is one to be sent by the next.
    run: (stack, sessionKey, arm) =>
      after(stack, sessionKey, { point: 'outcome spooled', nth: 2, kill: ['host'] }, arm),
  },
  {
    name: 'a new server',
    points: serverBootPoints,
    hostDeaths: 0,
    isCancelled: false,
    isEngineForgotten: false,
    run: (stack, sessionKey, arm) =>
      after(stack, sessionKey, { point: 'finish committed', nth: 2, kill: ['server'] }, arm),
  },
  {
    name: 'an engine without its database',
    points: rebuildPoints,
    hostDeaths: 0,
    isCancelled: false,
    isEngineForgotten: true,
    async run(stack, sessionKey, arm) {
      const tree = await startTree(stack, sessionKey, mixedFamily);
      await until(
        () => membersOf(stack, { sessionKey }),
        (found) => found.length >= 5,
      );
      arm();
      rmSync(homePaths(stack.home).engineData, { recursive: true });
      stack.kill('engine');
      return tree;
    },
  },
];

/** Arms the second death as soon as the first has come. */
async function after(
  stack: FaultStack,
  sessionKey: string,
  first: Fault,
  arm: () => void,
): Promise<Tree> {
  const whenDied = stack.arm(first);
  const tree = await startTree(stack, sessionKey, mixedFamily);
  await until(
    async () => whenDied(),
    (death) => death !== null && !death.pids.includes(null),
  );
  arm();
  return tree;
}

export const scenarioOf = (point: FaultPoint): Scenario =>
  scenarios.find(({ points }) => points.includes(point))!;
