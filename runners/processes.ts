/** What runs on this machine, as far as it matters for finding the rest of a run. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
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
export function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc() : listByPs();
}

async function listByProc(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(pids.map(readProc));
  return entries.filter((entry) => entry !== null);
}

/** Null for what has gone meanwhile. */
async function readProc(pid: number): Promise<ProcessEntry | null> {
  try {
    const [stat, environ] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      // Of a program that runs as somebody else only the group is seen.
      readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    ]);
    // The name, in brackets, may hold anything, brackets and spaces included.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    return { pid, parentPid: Number(parent), group: Number(group), marker: markerIn(environ) };
  } catch {
    return null;
  }
}

function markerIn(environ: string): string | null {
  const name = `${childEnv.run}=`;
  const entry = environ.split('\0').find((text) => text.startsWith(name));
  return entry === undefined ? null : entry.slice(name.length);
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
