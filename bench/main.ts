/**
 * `npm run bench [-- row …] [--quick] [--idle]`: every figure beside its floor, both sides in turns on the
 * same engine. Without names all rows but `idle`, which takes ten minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleBare } from './bare/start.ts';
import { table, type Figure } from './figure.ts';
import type { Row } from './row.ts';
import { acceptRow } from './rows/accept.ts';
import { besideRow } from './rows/beside.ts';
import { callbackRow } from './rows/callback.ts';
import { contextRow } from './rows/context.ts';
import { measureControl } from './rows/control.ts';
import { fanOutRow } from './rows/fan-out.ts';
import { historiesRow } from './rows/histories.ts';
import { hooksRow } from './rows/hooks.ts';
import { hookRow } from './rows/hook.ts';
import { idleRow } from './rows/idle.ts';
import { largeStoreRow } from './rows/large-store.ts';
import { outputRow } from './rows/output.ts';
import { promptsRow } from './rows/prompts.ts';
import { qualityRow } from './rows/quality.ts';
import { recoveryRow } from './rows/recovery.ts';
import { searchRow } from './rows/search.ts';
import { syncRow } from './rows/sync.ts';
import { throughputRow } from './rows/throughput.ts';

const rows: readonly Row[] = [
  acceptRow,
  syncRow,
  callbackRow,
  throughputRow,
  fanOutRow,
  historiesRow,
  outputRow,
  hookRow,
  idleRow,
  recoveryRow,
  largeStoreRow,
  hooksRow,
  promptsRow,
  besideRow,
  contextRow,
  searchRow,
  qualityRow,
];

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    idle: { type: 'boolean', default: false },
  },
});
const { quick } = flags;
const unknown = names.filter((name) => !rows.some((row) => row.name === name));
if (unknown.length > 0) {
  console.error(
    `no row ${unknown.join(', ')}; there are: ${rows.map(({ name }) => name).join(' ')}`,
  );
  process.exit(2);
}
const isWanted = ({ name }: Row) =>
  names.includes(name) || (name === 'idle' ? flags.idle : names.length === 0 && !flags.idle);

const scratch = mkdtempSync(join(tmpdir(), 'offshoot-bench-'));
const figures: Figure[] = [];
const failed: string[] = [];
try {
  say(`machine: ${cpus().length} x ${cpus()[0]?.model ?? '?'}, Node ${process.version}, ${now()}`);
  say(`load before: ${load()}${quick ? ' (--quick: the figures mean nothing)' : ''}`);
  const bundle = join(scratch, 'bare-workflows.js');
  await bundleBare(bundle);
  const before = await measureControl({ quick });
  for (const row of rows.filter(isWanted)) await measure(row, bundle);
  const after = await measureControl({ quick });
  say(`\n${table(figures)}\n`);
  say(`load after: ${load()}, ${now()}`);
  say(`control (the echo against itself): ${before.ratio.toFixed(2)}, ${after.ratio.toFixed(2)}`);
  if (!before.isSound || !after.isSound) {
    say('THROW THIS RUN AWAY: the control is outside 0.9-1.1, so the ratios above mean nothing.');
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const line of failed) say(line);
process.exit(failed.length > 0 || figures.some(({ isMet }) => isMet === false) ? 1 : 0);

/** One row that breaks must not cost the figures of the others. */
async function measure(row: Row, bundle: string): Promise<void> {
  const begin = performance.now();
  try {
    const found = await row.measure({ quick, bundle });
    figures.push(...found);
    const seconds = ((performance.now() - begin) / 1000).toFixed(0);
    say(`${row.name}: ${seconds} s\n${table(found)}`);
  } catch (error) {
    failed.push(`${row.name} FAILED: ${error instanceof Error ? error.stack : String(error)}`);
    say(failed.at(-1)!);
  }
}

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}

function now(): string {
  return new Date().toISOString().slice(0, 16).replace('T', ' ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
