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
        const busy = await alternate(
          rounds,
          () => accept(stack),
          () => floor(echo),
        );
        return [
          ratioFigure('accept ASYNC_POLL / echo + flush, p50', idle, { atMost: 1.6 }),
          ratioFigure('  the same with all slots busy', busy, { atMost: 4 }),
        ];
      }),
    ),
};

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
