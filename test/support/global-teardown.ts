/** Fails the run when it leaves a process behind, after ending that process. */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopTestEngine } from './test-engine.ts';

/** A process that was told to go may need this long. */
const leaveMs = 5_000;

export default async function globalTeardown(): Promise<void> {
  const mark = process.env['OFFSHOOT_TEST_RUN'];
  const folder = process.env['TMPDIR'];
  if (!mark || !folder) return;
  await stopTestEngine();
  const deadline = Date.now() + leaveMs;
  let left = processesOf(mark);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(100);
    left = processesOf(mark);
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has gone by itself in the meantime.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (left.length === 0) return;
  const lines = left.map(({ pid, command }) => `  ${pid} ${command}`);
  throw new Error(`the tests left processes behind (killed now):\n${lines.join('\n')}`);
}

/** Everything with the mark in its environment, arguments or folder. Linux only: elsewhere none is found. */
function processesOf(mark: string): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const name of entries('/proc')) {
    const pid = Number(name);
    // The jest workers carry the mark too, and end after this.
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    if (command === '' || command.includes('jest-worker')) continue;
    if (!`${command} ${read(`/proc/${pid}/environ`)}`.includes(mark)) continue;
    found.push({ pid, command: command.slice(0, 200) });
  }
  return found;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
