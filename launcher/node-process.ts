/** Server and runner host: Node programs that are found again by their pid file. */
import { capLog } from '../engine/cap-log.ts';
import { writePidFile } from '../engine/pid-file.ts';
import type { ProcessId } from '../engine/process-identity.ts';
import {
  adoptProcess,
  spawnDetached,
  type RunningProcess,
  type SpawnOptions,
} from '../engine/running-process.ts';

export interface NodeProcess extends Omit<SpawnOptions, 'command' | 'onSpawn'> {
  pidFile: string;
  /** The one that is there already. */
  living: ProcessId | null;
}

/** The one that outlived an earlier launcher, else a new one. */
export function startNodeProcess(options: NodeProcess): RunningProcess {
  const survivor = options.living === null ? null : adoptProcess(options.living);
  if (survivor !== null) return survivor;
  capLog(options.logFile);
  return spawnDetached({
    ...options,
    command: process.execPath,
    onSpawn: (id) => writePidFile(options.pidFile, id),
  });
}
