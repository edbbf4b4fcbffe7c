/** Agents that print a thousand lines a second each, as a load for what is measured beside them. */
import { until, type Stack } from './stack.ts';

export const PRINTERS = 8;
/** Ten lines each ten milliseconds. */
const print = `setInterval(() => process.stdout.write('a line of some eighty characters, as programs print them while they work at it\\n'.repeat(10)), 10)`;
export const printer = { kind: 'command', command: process.execPath, args: ['-e', print] };

/** Their ids, once each of them prints. */
export async function startPrinters({ client }: Stack): Promise<string[]> {
  const asked = { runnerId: 'printer', prompt: 'x', executionMode: 'ASYNC_POLL' as const };
  const records = await Promise.all(
    Array.from({ length: PRINTERS }, () => client.call('runSubagent', asked)),
  );
  const ids = records.map(({ id }) => id);
  for (const id of ids) {
    const turns = () => client.call('getTranscript', { id, limit: 10 });
    await until(turns, (page) => page.turns.length > 1, 50);
  }
  return ids;
}
