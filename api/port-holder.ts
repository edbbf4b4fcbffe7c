/** Who listens on a port, for an error message. Linux only; elsewhere it stays unnamed. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homePaths } from '../contract/home.ts';
import { oneLine } from '../domain/plain-text.ts';

const LISTEN = '0A';
/** A script that stands in its own command line is pages long. */
const commandCharsMax = 80;

export interface PortHolder {
  /** In a line. */
  name: string;
  /** Whose stack it belongs to, where it is one of Offshoot. */
  home: string | null;
}

export function portHolder(port: number): PortHolder {
  const unknown = { name: 'another program', home: null };
  try {
    const inode = listeningInode(port);
    if (inode === null) return unknown;
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, inode));
    if (pid === undefined) return unknown;
    const home = homeOf(pid);
    const name = home === null ? commandOf(pid) : `the Offshoot of ${oneLine(home)}`;
    return { name: `${name}, pid ${pid}`, home };
  } catch {
    return unknown;
  }
}

function commandOf(pid: string): string {
  const command = oneLine(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
  return command.length > commandCharsMax ? `${command.slice(0, commandCharsMax)}…` : command;
}

/** Its environment names a home. So does an agent's, therefore that home has to name the process, too. */
function homeOf(pid: string): string | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const home = environment
      .find((one) => one.startsWith('OFFSHOOT_HOME='))
      ?.slice('OFFSHOOT_HOME='.length);
    if (!home) return null;
    const { serverPidFile, engineFile } = homePaths(home);
    return [serverPidFile, engineFile].some((file) => namedIn(file) === Number(pid)) ? home : null;
  } catch {
    return null;
  }
}

function namedIn(file: string): number | null {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  } catch {
    return null;
  }
}

function listeningInode(port: number): string | null {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === LISTEN) return fields[9] ?? null;
    }
  }
  return null;
}

function holds(pid: string, inode: string): boolean {
  try {
    const socket = `socket:[${inode}]`;
    return readdirSync(`/proc/${pid}/fd`).some((fd) => opened(pid, fd) === socket);
  } catch {
    return false;
  }
}

/** Null where it has been closed meanwhile: of ourselves there is always one, by which we look. */
function opened(pid: string, fd: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return null;
  }
}
