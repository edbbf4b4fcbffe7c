import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../contract/home.ts';
import { hostMarkerPrefix, localHostId, markerHome } from '../contract/names.ts';
import { folderMark } from '../engine/pid-file.ts';
import { sweep } from '../runners/index.ts';

/** Ends the agents of a runner host that was killed before it could do so; says how many there were. */
export async function sweepAgents(home: string, graceMs: number): Promise<number> {
  const markedHome = readMarkedHome(home);
  if (markedHome === null) return 0;
  const { killed } = await sweep(hostMarkerPrefix(markedHome, localHostId), { graceMs });
  return killed.length;
}

/** Null where no host has ever said hello, or the file came with a copy: then none of ours was started by one. */
function readMarkedHome(home: string): string | null {
  const file = join(homePaths(home).hosts, localHostId, 'home-id');
  try {
    const marked = readFileSync(file, 'utf8');
    return marked.endsWith(markerHome('', folderMark(file))) ? marked : null;
  } catch {
    return null;
  }
}
