/**
 * Ends what is left of a run, or of all runs of a host: agent programs start their tools in
 * sessions of their own, so no signal to a process group reaches them, but all inherit the marker.
 *
 * Linux finds them by the marker in /proc. Elsewhere only the group and the tree below the known
 * processes can be seen: what has left both (a daemon) is not found there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kin } from './kin.ts';
import { listProcesses, type ProcessEntry } from './processes.ts';

export interface SweepOptions {
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  /** The start of the run's first process, by `startTick`: no other of it is older. Null: not known. */
  since?: number | null;
  list?: () => Promise<ProcessEntry[]>;
}

/** After SIGKILL, for what is born meanwhile and for what the system is slow to end. */
const killForMs = 2000;
const lookEveryMs = 50;

export async function sweep(
  kin: Kin,
  options: SweepOptions,
): Promise<{ killed: number[]; left: number[] }> {
  const list = options.list ?? (() => listProcesses(options.since));
  const killAt = Date.now() + options.graceMs;
  const asked = new Set<number>();
  for (;;) {
    const left = kin.find(await list());
    if (left.length === 0 || Date.now() > killAt + killForMs) return { killed: [...asked], left };
    for (const pid of left) {
      if (Date.now() >= killAt) signal(pid, 'SIGKILL');
      else if (!asked.has(pid)) signal(pid, 'SIGTERM');
      asked.add(pid);
    }
    await sleep(Math.max(1, Math.min(lookEveryMs, options.graceMs)));
  }
}

/** It may have ended since it was seen. What may not be signalled shows as left. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or not ours: the next look tells.
  }
}
