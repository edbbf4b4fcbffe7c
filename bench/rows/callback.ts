/**
 * Exit of a callback child → next spawn of its parent. Beside it the same hops, bare: the exit of a
 * program → one signal → a local activity → a regular one on a second queue → the same spawn.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { alternate } from '../alternate.ts';
import type { Spawned } from '../bare/activities.ts';
import { withBare, type Bare } from '../bare/start.ts';
import { ratioFigure } from '../figure.ts';
import type { Row } from '../row.ts';
import { untilClosed, withStack, type Stack } from '../stack.ts';
import { callbackRunners, runCallbackPair, SETTLE_MS, tellTime } from './callback-pair.ts';

const program = { command: 'sh', args: ['-c', tellTime] };
const run = promisify(execFile);

export const callbackRow: Row = {
  name: 'callback',
  measure: ({ quick, bundle }) =>
    withStack({ runners: callbackRunners }, (stack) =>
      withBare(stack, { bundle, slots: 4 }, async (bare) => {
        const rounds = quick ? { rounds: 5, warmUp: 1 } : { rounds: 100, warmUp: 10 };
        const times = await alternate(
          rounds,
          () => ours(stack),
          () => bareHops(bare),
        );
        return [ratioFigure("callback child's exit to its parent's spawn", times, { atMost: 1.6 })];
      }),
    ),
};

async function ours(stack: Stack): Promise<number> {
  const { parent, ms } = await runCallbackPair(stack);
  await untilClosed(stack, parent);
  return ms;
}

async function bareHops(bare: Bare): Promise<number> {
  const parent = await bare.start('bareTurns', program);
  await bare.begun(parent.workflowId);
  await sleep(SETTLE_MS);
  const { stdout: exited } = await run(program.command, program.args);
  await parent.signal('callback');
  const { output } = (await parent.result()) as Spawned;
  return (Number(output) - Number(exited)) / 1e6;
}
