/** What a reader of one record feels while eight agents print: its p99 minus that of an echo in between. */
import { timed } from '../alternate.ts';
import { withEcho } from '../bare/start.ts';
import { note, plainFigure } from '../figure.ts';
import { printer, PRINTERS, requirePrinted, startPrinters, watchPrinters } from '../printers.ts';
import type { Row } from '../row.ts';
import { quantile } from '../statistics.ts';
import { get, withStack } from '../stack.ts';

export const outputRow: Row = {
  name: 'output',
  measure: ({ quick }) =>
    withStack({ runners: { printer }, limits: { slots: PRINTERS } }, (stack) =>
      withEcho(stack, async (echo) => {
        const printers = await startPrinters(stack);
        const { id } = printers[0]!;
        const linesASecond = watchPrinters(printers);
        const times: { record: number[]; echo: number[] } = { record: [], echo: [] };
        for (let n = 0; n < (quick ? 200 : 2000); n += 1) {
          const record = () => timed(() => get(stack.server, `/api/subagents/${id}`));
          const plain = () => timed(() => get(echo, '/'));
          if (n % 2 === 0) times.record.push(await record());
          times.echo.push(await plain());
          if (n % 2 === 1) times.record.push(await record());
        }
        const printed = linesASecond();
        if (!quick) requirePrinted(printed);
        const ours = quantile(times.record, 0.99);
        const floor = quantile(times.echo, 0.99);
        return [
          plainFigure(`GET a record while ${PRINTERS} print, p99 - echo's`, ours - floor, 'ms', 15),
          note('  its p99; the echo', `${ours.toFixed(1)} ms; ${floor.toFixed(1)} ms`),
          note('  lines a second of the slowest printer', printed.toFixed(0)),
        ];
      }),
    ),
};
