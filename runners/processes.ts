/** What runs on this machine, as far as it matters for finding the rest of a run. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { childEnv } from '../contract/names.ts';

export interface ProcessEntry {
  pid: number;
  parentPid: number;
  group: number;
  /** Value of the marker in its environment; null without one, or where it cannot be read. */
  marker: string | null;
}

/** Dead processes that nobody has collected are left out: no signal reaches them. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc() : listByPs();
}

/** Read at once: /proc is memory, and a hundred small reads cost less than a hundred promises. */
function listByProc(): ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readProc(Number(pid))).filter((entry) => entry !== null);
}

/** Null for what has gone meanwhile. */
function readProc(pid: number): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may hold anything, brackets and spaces included.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    return { pid, parentPid: Number(parent), group: Number(group), marker: markerOf(pid) };
  } catch {
    return null;
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

/** Where there is no /proc: no environment can be read, so markers are unknown. */
export async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns.length === 4 && !columns[3]!.startsWith('Z'))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      parentPid: Number(parent),
      group: Number(group),
      marker: null,
    }));
}

/** The given processes and all below them. */
export function withDescendants(entries: ProcessEntry[], roots: Iterable<number>): Set<number> {
  const found = new Set(roots);
  let sizeBefore = -1;
  while (sizeBefore !== found.size) {
    sizeBefore = found.size;
    for (const entry of entries) if (found.has(entry.parentPid)) found.add(entry.pid);
  }
  return found;
}
