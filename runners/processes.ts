/** What runs on this machine, as far as it matters for finding the rest of a run. */
import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { childEnv } from '../contract/names.ts';
import type { ProcessId } from '../engine/process-identity.ts';

/** With `start` as `identifyProcess` has it. */
export interface ProcessEntry extends ProcessId {
  parentPid: number;
  group: number;
  /** Value of the marker in its environment; null without one, or where it was not or cannot be read. */
  marker: string | null;
}

/** Dead processes that nobody has collected are left out: no signal reaches them. */
export async function listProcesses(since: number | null = null): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc(since ?? 0) : listByPs();
}

/** Clock ticks from the machine's start to that of a process; null where that cannot be known. */
export function startTick(pid: number): number | null {
  return process.platform === 'linux' ? (readStat(pid)?.tick ?? null) : null;
}

/**
 * Read at once: /proc is memory, and a hundred small reads cost less than a hundred promises. The
 * marker is the dearer half of it, and what began before `since` cannot have inherited one from then.
 */
function listByProc(since: number): ProcessEntry[] {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    const pid = Number(name);
    const stat = readStat(pid);
    if (stat === null || stat.state === 'Z' || stat.state === 'X') return [];
    const marker = stat.tick >= since ? markerOf(pid) : null;
    const start = `${boot}/${stat.tick}`;
    return [{ pid, start, parentPid: stat.parentPid, group: stat.group, marker }];
  });
}

/** A line of /proc/…/stat has some fifty numbers. */
const statBytesMax = 2000;

/** Null for what has gone meanwhile. */
function readStat(pid: number) {
  try {
    const line = readStart(`/proc/${pid}/stat`);
    // The name, in brackets, may hold anything, brackets and spaces included.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    return { state, parentPid: Number(parent), group: Number(group), tick: Number(fields[19]) };
  } catch {
    return null;
  }
}

/** One read: `readFile` asks for the size, which is unknown here, and reads until there is nothing more. */
function readStart(path: string): string {
  const file = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(statBytesMax);
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, statBytesMax, 0));
  } finally {
    closeSync(file);
  }
}

function markerOf(pid: number): string | null {
  const name = `\0${childEnv.run}=`;
  try {
    const environ = `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
    const at = environ.indexOf(name);
    if (at === -1) return null;
    return environ.slice(at + name.length, environ.indexOf('\0', at + name.length));
  } catch {
    // Of a program that runs as somebody else only the group is seen.
    return null;
  }
}

const columns = 'pid=,ppid=,pgid=,stat=,lstart=';

/** Where there is no /proc: no environment can be read, so markers are unknown. */
export async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', columns]);
  return stdout
    .split('\n')
    .map((line) => /^(\d+)\s+(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(.+)$/.exec(line.trim()))
    .filter((found) => found !== null)
    .map(([, pid, parent, group, , start]) => ({
      pid: Number(pid),
      start: start!,
      parentPid: Number(parent),
      group: Number(group),
      marker: null,
    }));
}
