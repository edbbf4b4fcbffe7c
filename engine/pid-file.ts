/** Files by which a process is found again. They lie in the home, and a home may be copied while it is in use. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessId } from './process-identity.ts';

/**
 * Names the very folder in which `path` lies: it stays when a folder is moved, and a copy has another.
 * A file that names a process counts only where it was written: what `cp -a` of a live home brings
 * along are the processes of the other home, which must be neither adopted nor ended.
 */
export function folderMark(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  return `${dev}:${ino}`;
}

export function writePidFile(path: string, content: ProcessId): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeJsonFile(path, { ...content, folder: folderMark(path) });
}

/** Null when there is none, when it came with a copy, or when a crash of the machine cut it short. */
export function readPidFile<T extends ProcessId = ProcessId>(path: string): T | null {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as T & { folder: string };
    const { folder, ...content } = found;
    const isWhole = typeof found.pid === 'number' && typeof found.start === 'string';
    return isWhole && folder === folderMark(path) ? (content as unknown as T) : null;
  } catch {
    return null;
  }
}

/** Readers see the old content or the new one, never half of it. */
export function writeJsonFile(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
