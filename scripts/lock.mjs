/**
 * One at a time: a lock file with the holder's pid, taken over when that process is dead. The likeness of
 * `engine/file-lock.ts`, which cannot serve here: this runs before anything is built.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 100;
/** Breaking a lock takes microseconds; whoever has been at it for this long was killed there. */
const breakingMsMax = 5_000;

export async function withLock(path, onWait, run) {
  for (let isTold = false; !take(path); isTold = true) {
    const holder = holderOf(path);
    if (holder !== null && !isAlive(holder)) breakLock(path);
    else if (holder !== null && !isTold) onWait(holder);
    await sleep(pollMs);
  }
  try {
    return await run();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Linking, not creating, so that the file has its content from the first moment. */
function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Two waiters may find the same dead holder: the second must not remove the first one's new lock. */
function breakLock(path) {
  const breaking = `${path}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    if (ageMs(breaking) > breakingMsMax) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  const holder = holderOf(path);
  if (holder !== null && !isAlive(holder)) rmSync(path, { force: true });
  rmSync(breaking, { recursive: true, force: true });
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
