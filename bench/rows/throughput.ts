/**
 * 200 invocations of `echo`, 50 in flight, each until its workflow has closed; beside the same number of
 * bare workflows with the same spawn, over as many slots.
 */
import { alternate } from '../alternate.ts';
import { echoProgram, withBare } from '../bare/start.ts';
import { rateFigure, type Figure } from '../figure.ts';
import type { Row, Setting } from '../row.ts';
import { closed, withStack, type Stack } from '../stack.ts';

const IN_FLIGHT = 50;

export const throughputRow: Row = {
  name: 'throughput',
  measure: async (setting) => [
    await rateOver(setting, { slots: 64, atLeast: 0.88 }),
    await rateOver(setting, { slots: 4, atLeast: 0.85 }),
  ],
};

function rateOver(
  { quick, bundle }: Setting,
  { slots, atLeast }: { slots: number; atLeast: number },
): Promise<Figure> {
  return withStack({ limits: { slots } }, (stack) =>
    withBare(stack, { bundle, slots }, async (bare) => {
      const count = quick ? 50 : 200;
      const rounds = quick ? { rounds: 2, warmUp: 1 } : { rounds: 7, warmUp: 1 };
      const rates = await alternate(
        rounds,
        () => rate(count, () => invoke(stack)),
        () => rate(count, () => bare.run(echoProgram)),
      );
      return rateFigure(`${count} echo, ${IN_FLIGHT} in flight, ${slots} slots`, rates, atLeast);
    }),
  );
}

/** An answer may be there before its workflow has begun: that is in flight until it closes, as a bare one is. */
async function invoke({ client, engine }: Stack): Promise<void> {
  const record = await client.call('runSubagent', { runnerId: 'echo', prompt: 'x' });
  if (record.status !== 'completed') throw new Error(`${record.status}: ${record.error}`);
  await closed(engine, record.workflowId);
}

async function rate(count: number, once: () => Promise<unknown>): Promise<number> {
  let left = count;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left > 0) {
        left -= 1;
        await once();
      }
    }),
  );
  return (count * 1000) / (performance.now() - begin);
}
