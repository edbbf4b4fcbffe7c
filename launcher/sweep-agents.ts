import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../contract/home.ts';
import { hostMarkerPrefix, localHostId } from '../contract/names.ts';
import { sweep } from '../runners/index.ts';

/** Ends the agents of a runner host that was killed before it could do so; says how many there were. */
export async function sweepAgents(home: string, graceMs: number): Promise<number> {
  const homeId = readHomeId(home);
  if (homeId === null) return 0;
  const { killed } = await sweep(hostMarkerPrefix(homeId, localHostId), { graceMs });
  return killed.length;
}

/** Null where no host has ever said hello: then nothing can have been started by one. */
function readHomeId(home: string): string | null {
  try {
    return readFileSync(join(homePaths(home).hosts, localHostId, 'home-id'), 'utf8');
  } catch {
    return null;
  }
}
