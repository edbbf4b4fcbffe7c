/** What a run is known by when its host is gone: the process that leads it, noted in the run's own folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPidFile, writePidFile } from '../engine/pid-file.ts';
import { identifyProcess, type ProcessId } from '../engine/process-identity.ts';
import { Kin } from './kin.ts';
import { sweep } from './sweep.ts';

interface Leader extends ProcessId {
  marker: string;
}

const leaderFile = (runDir: string) => join(runDir, 'leader.json');

/** The folder, and the note with it, goes when the run has ended. Null for what has ended already. */
export function noteLeader(runDir: string, marker: string, pid: number): ProcessId | null {
  const id = identifyProcess(pid);
  if (id === null) return null;
  const leader: Leader = { ...id, marker };
  try {
    writePidFile(leaderFile(runDir), leader);
  } catch {
    // On a full disk, say: it runs, and its marker is there to find it by.
  }
  return id;
}

/**
 * Ends what a host has left that did not end its runs itself; says how many processes there were.
 * `markerPrefix` is that of the host, or null where it is not known: then the notes alone tell.
 */
export async function sweepLeftRuns(
  runsFolder: string,
  markerPrefix: string | null,
  graceMs: number,
): Promise<number> {
  const leaders = readLeaders(runsFolder);
  const prefix = markerPrefix === null ? [] : [markerPrefix];
  const markers = [...prefix, ...leaders.map(({ marker }) => marker)];
  if (markers.length === 0) return 0;
  const { killed } = await sweep(new Kin({ markers, known: leaders }), { graceMs });
  return killed.length;
}

/** Of runs that were begun in these very folders: what a copy names is another home's. */
function readLeaders(runsFolder: string): Leader[] {
  let names: string[];
  try {
    names = readdirSync(runsFolder);
  } catch {
    return [];
  }
  return names
    .map((name) => readPidFile<Leader>(leaderFile(join(runsFolder, name))))
    .filter((leader) => leader !== null && typeof leader.marker === 'string') as Leader[];
}
