/**
 * The build in which every fault point is armed: a copy of `dist/` with one file swapped. What is
 * shipped has no switch that anybody could turn.
 */
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntryName } from '../../launcher/entry.ts';
import { withLock } from '../../scripts/lock.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const armed = join(root, '.dist-faults');
const armedReach = fileURLToPath(new URL('armed-reach.mjs', import.meta.url));

export const armedEntry = (name: EntryName) => join(armed, name, 'main.js');

/** Made anew when `dist/` or the armed file has changed; by one test worker while others wait. */
export async function makeFaultBuild(): Promise<void> {
  await withLock(
    join(root, '.build.lock'),
    () => {},
    async () => {
      const stamp = createHash('sha256')
        .update(readFileSync(join(dist, '.stamp.json')))
        .update(readFileSync(armedReach))
        .digest('hex');
      if (stamp === readStamp()) return;
      rmSync(armed, { recursive: true, force: true });
      const fresh = `${armed}-${process.pid}`;
      cpSync(dist, fresh, { recursive: true });
      cpSync(armedReach, join(fresh, 'faults/reach.js'));
      writeFileSync(join(fresh, '.faults.json'), stamp);
      renameSync(fresh, armed);
    },
  );
}

function readStamp(): string | null {
  try {
    return readFileSync(join(armed, '.faults.json'), 'utf8');
  } catch {
    return null;
  }
}
