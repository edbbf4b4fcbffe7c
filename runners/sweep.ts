/**
 * Ends what is left of a run, or of all runs of a host: agent programs start their tools in
 * sessions of their own, so no signal to a process group reaches them, but all inherit the marker.
 *
 * Linux finds them by the marker in /proc. Elsewhere only the group and the tree below the known
 * processes can be seen: what has left both (a daemon) is not found there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, withDescendants, type ProcessEntry } from './processes.ts';

export interface SweepOptions {
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  /** A process group that belongs to the run. */
  group?: number;
  /** Processes of the run that were seen while it ran. Used where markers cannot be read. */
  pids?: Iterable<number>;
  /** The start of the run's first process, by `startTick`: no other of it is older. Null: not known. */
  since?: number | null;
  list?: () => Promise<ProcessEntry[]>;
}

/** After SIGKILL, for what is born meanwhile and for what the system is slow to end. */
const killForMs = 2000;
const lookEveryMs = 50;

/** `markerPrefix` is a whole marker, or a part that ends in `/`: run 1 must not end run 10. */
export async function sweep(
  markerPrefix: string,
  options: SweepOptions,
): Promise<{ killed: number[]; left: number[] }> {
  const list = options.list ?? (() => listProcesses(options.since));
  const killAt = Date.now() + options.graceMs;
  const asked = new Set<number>();
  for (;;) {
    const entries = await list();
    const left = belonging(entries, markerPrefix, options);
    if (left.length === 0 || Date.now() > killAt + killForMs) return { killed: [...asked], left };
    for (const pid of left) {
      if (Date.now() >= killAt) signal(pid, 'SIGKILL');
      else if (!asked.has(pid)) signal(pid, 'SIGTERM');
      asked.add(pid);
    }
    await sleep(Math.max(1, Math.min(lookEveryMs, options.graceMs)));
  }
}

function belonging(entries: ProcessEntry[], markerPrefix: string, options: SweepOptions): number[] {
  const tree = withDescendants(entries, options.pids ?? []);
  return entries
    .filter(
      ({ pid, group, marker }) =>
        (marker !== null && isMarked(marker, markerPrefix)) ||
        group === options.group ||
        tree.has(pid),
    )
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid && pid > 1);
}

function isMarked(marker: string, prefix: string): boolean {
  return marker === prefix || (prefix.endsWith('/') && marker.startsWith(prefix));
}

/** It may have ended since it was seen. What may not be signalled shows as left. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or not ours: the next look tells.
  }
}
