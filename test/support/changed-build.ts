/**
 * A copy of `dist/` in which one file differs. What is shipped has no switch that anybody could turn to
 * make it die at a point, or lose its patience sooner.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntryName } from '../../launcher/entry.ts';
import { withLock } from '../../scripts/lock.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

export interface Change {
  name: string;
  /** Within `dist/`. */
  file: string;
  content(text: string): string;
}

/** Made anew when `dist/` or the change is another; by one test worker while others wait. */
export async function changedBuild(change: Change): Promise<(entry: EntryName) => string> {
  // Its last part is what a launcher knows its own folder by.
  const built = join(root, `.dist-${change.name}`, 'dist');
  await withLock(
    join(root, '.build.lock'),
    () => {},
    async () => {
      const content = change.content(readFileSync(join(dist, change.file), 'utf8'));
      const stamp = createHash('sha256')
        .update(readFileSync(join(dist, '.stamp.json')))
        .update(content)
        .digest('hex');
      const stampFile = join(built, '.change.json');
      if (stamp === readIf(stampFile)) return;
      rmSync(built, { recursive: true, force: true });
      const fresh = `${built}-${process.pid}`;
      mkdirSync(dirname(fresh), { recursive: true });
      cpSync(dist, fresh, { recursive: true });
      // Where its version is read from.
      cpSync(join(root, 'package.json'), join(dirname(built), 'package.json'));
      writeFileSync(join(fresh, change.file), content);
      writeFileSync(join(fresh, '.change.json'), stamp);
      renameSync(fresh, built);
    },
  );
  return (entry) => join(built, entry, 'main.js');
}

function readIf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
