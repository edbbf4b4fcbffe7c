/** One at a time over processes: a lock file that names its holder and dies with it. */
import { linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname } from 'node:path';
import { readPidFile, writePidFile } from './pid-file.ts';
import { identifyProcess, isRunning, type ProcessId } from './process-identity.ts';

const pollMs = 100;
const breakPollMs = 10;
/** Breaking a lock takes microseconds; whoever has been at it for this long was killed there. */
const breakingMsMax = 5_000;

/** Waits until it holds the lock, telling `onWait` at each look who holds it. */
export async function withFileLock<T>(
  path: string,
  onWait: (holder: ProcessId) => void,
  run: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const holder = await takeFileLock(path);
    if (holder === null) break;
    onWait(holder);
    await sleep(pollMs);
  }
  try {
    return await run();
  } finally {
    releaseFileLock(path);
  }
}

/** Null when the lock is ours now, else the living process that holds it. */
export async function takeFileLock(path: string): Promise<ProcessId | null> {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (create(path)) return null;
    const holder = readPidFile(path);
    if (holder !== null && isRunning(holder)) return holder;
    breakLock(path);
    await sleep(breakPollMs);
  }
}

export function releaseFileLock(path: string): void {
  if (readPidFile(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** Linking, not creating, so that the file has its content from the first moment. */
function create(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writePidFile(own, identifyProcess(process.pid)!);
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Two waiters may find the same dead holder: the second must not remove the first one's new lock. */
function breakLock(path: string): void {
  const breaking = `${path}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    if (ageMs(breaking) > breakingMsMax) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  const holder = readPidFile(path);
  if (holder === null || !isRunning(holder)) rmSync(path, { force: true });
  rmSync(breaking, { recursive: true, force: true });
}

function ageMs(path: string): number {
  try {
    // A clock that was put back since makes it come from ahead.
    return Math.abs(Date.now() - statSync(path).mtimeMs);
  } catch {
    return 0;
  }
}
