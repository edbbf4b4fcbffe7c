import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../contract/home.ts';
import { hostMarkerPrefix, localHostId, markerHome } from '../contract/names.ts';
import { folderMark } from '../engine/pid-file.ts';
import { sweepLeftRuns } from '../runners/index.ts';

/** Ends the agents of a runner host that was killed before it could do so; says how many there were. */
export async function sweepAgents(home: string, graceMs: number): Promise<number> {
  const folder = join(homePaths(home).hosts, localHostId);
  const markedHome = readMarkedHome(folder);
  const prefix = markedHome && hostMarkerPrefix(markedHome, localHostId);
  return sweepLeftRuns(join(folder, 'runs'), prefix, graceMs);
}

/** Null where no host has ever said hello, or the file came with a copy, or somebody has deleted it. */
function readMarkedHome(folder: string): string | null {
  const file = join(folder, 'home-id');
  try {
    const marked = readFileSync(file, 'utf8');
    return marked.endsWith(markerHome('', folderMark(file))) ? marked : null;
  } catch {
    return null;
  }
}
