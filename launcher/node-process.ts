/** Server and runner host: Node programs that are found again by their pid file. */
import { readFileSync } from 'node:fs';
import { capLog } from '../engine/cap-log.ts';
import { writeJsonFile } from '../engine/engine-file.ts';
import type { ProcessId } from '../engine/process-identity.ts';
import {
  adoptProcess,
  spawnDetached,
  type RunningProcess,
  type SpawnOptions,
} from '../engine/running-process.ts';

export interface NodeProcess extends Omit<SpawnOptions, 'command' | 'onSpawn'> {
  pidFile: string;
}

/** The one that outlived an earlier launcher, else a new one. */
export function startNodeProcess(options: NodeProcess): RunningProcess {
  const before = readPidFile(options.pidFile);
  const survivor = before === null ? null : adoptProcess(before);
  if (survivor !== null) return survivor;
  capLog(options.logFile);
  return spawnDetached({
    ...options,
    command: process.execPath,
    onSpawn: (id) => writeJsonFile(options.pidFile, { ...id, startedAt: new Date().toISOString() }),
  });
}

export function readPidFile(path: string): ProcessId | null {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessId>;
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : null;
  } catch {
    // There is none, or a crash of the machine cut it short: nothing is known of a process.
    return null;
  }
}
