/** The floors: workflows of the shape of ours on the same engine, with nothing in them. */
import {
  condition,
  defineSignal,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import type { Activities, Program, Spawned } from './activities.ts';

const { step } = proxyLocalActivities<Pick<Activities, 'step'>>({ startToCloseTimeout: '30s' });
const { spawnProgram } = proxyActivities<Pick<Activities, 'spawnProgram'>>({
  taskQueue: 'bare-host',
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '5s',
});

/** A local activity, one regular activity on a second queue that spawns, a local activity. */
export async function bareRun(program: Program): Promise<Spawned> {
  await step();
  const spawned = await spawnProgram(program);
  await step();
  return spawned;
}

export const goSignal = defineSignal<[string[], Program]>('go');

/** Starts children when it is told to, all that one signal names at once; ended from outside. */
export async function bareOwner(): Promise<void> {
  const asked: [string[], Program][] = [];
  setHandler(goSignal, (ids, program) => void asked.push([ids, program]));
  for (;;) {
    await condition(() => asked.length > 0);
    const orders = asked.splice(0);
    await step();
    const starts = orders.flatMap(([ids, program]) => ids.map((id) => [id, program] as const));
    await Promise.all(
      starts.map(([workflowId, program]) =>
        startChild(bareRun, {
          ...{ workflowId, args: [program], workflowTaskTimeout: '2s' as const },
          parentClosePolicy: ParentClosePolicy.ABANDON,
        }),
      ),
    );
  }
}

export const callbackSignal = defineSignal('callback');

/** What a callback costs at least: a signal, a local activity, a regular one that spawns. */
export async function bareTurns(program: Program): Promise<Spawned> {
  let isCalled = false;
  setHandler(callbackSignal, () => void (isCalled = true));
  await step();
  await spawnProgram(program);
  await condition(() => isCalled);
  await step();
  return spawnProgram(program);
}
