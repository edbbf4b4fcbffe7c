/** What a reader of one record feels while eight agents print: its p99 minus that of an echo in between. */
import { timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { note, plainFigure } from '../figure.ts';
import { printer, PRINTERS, startPrinters } from '../printers.ts';
import type { Row } from '../row.ts';
import { quantile } from '../statistics.ts';
import { get, withStack } from '../stack.ts';

export const outputRow: Row = {
  name: 'output',
  measure: ({ quick }) =>
    withStack({ runners: { printer }, limits: { slots: PRINTERS } }, (stack) =>
      withEcho(stack, async (echo) => {
        const [id] = await startPrinters(stack);
        const times: { record: number[]; echo: number[] } = { record: [], echo: [] };
        for (let n = 0; n < (quick ? 200 : 2000); n += 1) {
          const record = () => timed(() => get(stack.server, `/api/subagents/${id}`));
          const plain = () => timed(() => get(echo, '/'));
          if (n % 2 === 0) times.record.push(await record());
          times.echo.push(await plain());
          if (n % 2 === 1) times.record.push(await record());
        }
        const ours = quantile(times.record, 0.99);
        const floor = quantile(times.echo, 0.99);
        return [
          plainFigure(`GET a record while ${PRINTERS} print, p99 - echo's`, ours - floor, 'ms', 15),
          note('  its p99; the echo', `${ours.toFixed(1)} ms; ${floor.toFixed(1)} ms`),
        ];
      }),
    ),
};
