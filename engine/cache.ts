/** Where the binary that we downloaded or built is kept, for all homes of a user. */
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pinnedCli } from './versions.ts';

/** Follows XDG; macOS has a folder of its own for caches. */
export function cacheFolder(facts: {
  cacheHome: string | null;
  homeFolder: string;
  platform: string;
}): string {
  if (facts.cacheHome !== null) return facts.cacheHome;
  return join(facts.homeFolder, facts.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

export function cachedBinary(cacheDir: string): string {
  const folder = `temporal-${pinnedCli}-${process.platform}-${process.arch}`;
  return join(cacheDir, 'offshoot', folder, 'temporal');
}

/** Lets `make` write to a temporary name: the final one only ever holds a whole file that passed `check`. */
export async function fillCache(
  target: string,
  make: (temporary: string) => Promise<void>,
  check: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await make(temporary);
    await chmod(temporary, 0o755);
    await check(temporary);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true, recursive: true });
  }
}
