/**
 * An asynchronous invocation, request to 202, beside what accepting cannot do without: one request over
 * the same HTTP stack in a process of its own, and one flush of 8 kB. Idle: what was accepted has ended,
 * workflow and all, before the next is asked for. Busy: nobody waits, so that what was accepted before
 * fills all slots and the queue behind them.
 */
import type { SubAgentRecord } from '../../contract/records.ts';
import type { Transport } from '../../client/transport.ts';
import { alternate, timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { ratioFigure } from '../figure.ts';
import type { Row } from '../row.ts';
import { post, untilClosed, withStack, type Stack } from '../stack.ts';

const request = { runnerId: 'echo', prompt: 'x', executionMode: 'ASYNC_POLL' };

export const acceptRow: Row = {
  name: 'accept',
  measure: ({ quick }) =>
    withStack({}, (stack) =>
      withEcho(stack, async (echo) => {
        const rounds = quick ? { rounds: 20, warmUp: 5 } : { rounds: 200, warmUp: 30 };
        const idle = await alternate(
          rounds,
          () => acceptAlone(stack),
          () => floor(echo),
        );
        for (let n = 0; n < AHEAD; n += 1) await accept(stack);
        await requireBusy(stack);
        const busy = await alternate(
          rounds,
          () => accept(stack),
          () => floor(echo),
        );
        await requireBusy(stack);
        return [
          ratioFigure('accept ASYNC_POLL / echo + flush, p50', idle, { atMost: 1.6 }),
          ratioFigure('  the same with all slots busy', busy, { atMost: 4 }),
        ];
      }),
    ),
};

/** Waiting when the busy rounds begin; what these ask for comes faster than it runs. */
const AHEAD = 60;

async function requireBusy({ client }: Stack): Promise<void> {
  const { hosts, invocations } = await client.call('getHealth', {});
  const isFull = hosts.every(({ busy, slots }) => busy === slots);
  if (isFull && (invocations['pending'] ?? 0) > 0) return;
  throw new Error(`not all slots were busy: ${JSON.stringify({ hosts, invocations })}`);
}

const accept = ({ server }: Stack) => timed(() => post(server, '/api/subagents', request));
const floor = (echo: Transport) => timed(() => post(echo, '/', request));

async function acceptAlone(stack: Stack): Promise<number> {
  let record: SubAgentRecord | null = null;
  const ms = await timed(async () => {
    record = (await post(stack.server, '/api/subagents', request)) as SubAgentRecord;
  });
  await untilClosed(stack, record!);
  return ms;
}
