/** Whether the server of a home, where it is gone, is on its way. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { homePaths } from '../contract/home.ts';

/**
 * Whether a launcher lives that starts the server again: not one that is ending it all. Only its pid is looked at,
 * so where another process has got the number since, the wait is in vain.
 */
export function isLookedAfter(home: string): boolean {
  const { launcherFile } = homePaths(home);
  try {
    const note = JSON.parse(readFileSync(launcherFile, 'utf8')) as Record<string, unknown>;
    // In a copy of a home that is in use, it is the other home's launcher.
    const { dev, ino } = statSync(dirname(launcherFile), { bigint: true });
    if (note['isStopping'] === true || note['folder'] !== `${dev}:${ino}`) return false;
    return process.kill(Number(note['pid']), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
