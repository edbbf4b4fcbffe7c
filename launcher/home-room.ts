/** Whether the home can be written: asked by whoever would otherwise blame a process for it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { homePaths } from '../contract/home.ts';

/** With less than this no process of ours comes up. */
const roomBytes = 1024 * 1024;
/** No room, or a disk that takes no writes. All else is no trouble that passes by itself. */
const troubles = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG']);

/** What the system says to a file in it; null when it takes one. */
export function whyUnwritable(home: string): string | null {
  const trial = `${homePaths(home).startingFile}.room`;
  try {
    mkdirSync(dirname(trial), { recursive: true, mode: 0o700 });
    writeFileSync(trial, Buffer.alloc(roomBytes), { mode: 0o600 });
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return troubles.has(code ?? '') ? message : null;
  } finally {
    removeTrial(trial);
  }
}

function removeTrial(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Where nothing can be written nothing can be removed: the next trial takes it along.
  }
}
