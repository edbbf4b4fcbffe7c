import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** A pid alone may be reused: with the moment of its start it names one process for ever. */
export interface ProcessId {
  pid: number;
  start: string;
}

/** Null for a process that is gone, or dead and not yet collected by its parent. */
export function identifyProcess(pid: number): ProcessId | null {
  const start = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return start === null ? null : { pid, start };
}

export function isRunning(id: ProcessId): boolean {
  return identifyProcess(id.pid)?.start === id.start;
}

/** The arguments of every process of this machine that we may see. */
export function listProcesses(): { pid: number; args: string[] }[] {
  return process.platform === 'linux' ? listOnLinux() : listByPs();
}

function startOnLinux(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in the second field may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || ticks === undefined) return null;
  return `${readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}/${ticks}`;
}

function startByPs(pid: number): string | null {
  const line = ps(['-o', 'stat=,lstart=', '-p', String(pid)]).trim();
  return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
}

function listOnLinux(): { pid: number; args: string[] }[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.flatMap((pid) => {
    const line = readText(`/proc/${pid}/cmdline`);
    return line ? [{ pid, args: line.split('\0') }] : [];
  });
}

/** Arguments with spaces come apart here, which the callers bear: they look for whole words. */
function listByPs(): { pid: number; args: string[] }[] {
  return ps(['-axo', 'pid=,command='])
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, ...args]) => ({ pid: Number(pid), args }));
}

function ps(args: string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // `ps` answers "no such process" with an exit code.
    return '';
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
