/** Server and runner host: Node programs that are found again by their pid file. */
import { capLog } from '../engine/cap-log.ts';
import { readPidFile, writePidFile } from '../engine/pid-file.ts';
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
    onSpawn: (id) => writePidFile(options.pidFile, id),
  });
}
