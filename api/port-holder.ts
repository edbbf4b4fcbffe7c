/** Who listens on a port, for an error message. Linux only; elsewhere it stays unnamed. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

export function portHolder(port: number): string {
  const unknown = 'another program';
  try {
    const inode = listeningInode(port);
    if (inode === null) return unknown;
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, inode));
    if (pid === undefined) return unknown;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return `${command.slice(0, 120)}, pid ${pid}`;
  } catch {
    return unknown;
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
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`,
    );
  } catch {
    return false;
  }
}
