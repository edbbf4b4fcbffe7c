/** Agents that print a thousand lines a second each, as a load for what is measured beside them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubAgentRecord } from '../contract/records.ts';
import { until, type Stack } from './stack.ts';

export const PRINTERS = 8;
const LINES_A_SECOND = 1000;
/** By the clock, so that a busy machine makes none of them slower; how many have left it stands in a file. */
const print = `
  const line = 'a line of some eighty characters, as programs print them while they work at it\\n';
  const { renameSync, writeFileSync } = require('node:fs');
  const begun = Date.now();
  let asked = 0, printed = 0;
  setInterval(() => {
    const more = Date.now() - begun - asked;
    asked += more;
    process.stdout.write(line.repeat(more), () => { printed += more; });
  }, 10);
  const tell = () => {
    writeFileSync('printing', String(printed));
    renameSync('printing', 'printed');
  };
  tell();
  setInterval(tell, 100);
`;
export const printer = { kind: 'command', command: process.execPath, args: ['-e', print] };

/** What is known of them, once each of them prints. */
export async function startPrinters({ client }: Stack): Promise<SubAgentRecord[]> {
  const asked = { runnerId: 'printer', prompt: 'x', executionMode: 'ASYNC_POLL' as const };
  const records = await Promise.all(
    Array.from({ length: PRINTERS }, () => client.call('runSubagent', asked)),
  );
  for (const { id } of records) {
    const turns = () => client.call('getTranscript', { id, limit: 10 });
    await until(turns, (page) => page.turns.some(({ role }) => role === 'stdout'), 50);
  }
  return records;
}

/** From here on; answers how many lines a second the slowest has printed, which has to be what is said of it. */
export function watchPrinters(records: readonly SubAgentRecord[]): () => number {
  const read = () =>
    records.map(({ context }) =>
      Number(readFileSync(join(context.workspacePath, 'printed'), 'utf8')),
    );
  const before = read();
  const begun = performance.now();
  return () => {
    const seconds = (performance.now() - begun) / 1000;
    const after = read();
    return Math.min(...after.map((lines, n) => (lines - before[n]!) / seconds));
  };
}

export function requirePrinted(linesASecond: number): void {
  if (linesASecond >= 0.9 * LINES_A_SECOND) return;
  throw new Error(`the printers printed only ${linesASecond.toFixed(0)} lines a second each`);
}
