import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
} from 'node:fs';

/** One old file is kept beside the current one, so a log takes twice this at most. */
export const logBytesMax = 10 * 1024 * 1024;

/**
 * Copies and truncates, because the process that writes holds the file open and is not to be asked.
 * It appends, so it goes on at the new end; lines written between the two steps are lost. On a disk
 * without room the old lines are lost as well: they are worth less than what needs room there. Never
 * throws, because no log is worth the process that looks after it.
 */
export function capLog(file: string, bytesMax = logBytesMax): void {
  const size = logSize(file);
  if (size <= bytesMax) return;
  const isKept = tryTo(() => copyFileSync(file, `${file}.1`));
  if (!isKept) tryTo(() => rmSync(`${file}.1`, { force: true }));
  tryTo(() => truncateSync(file, 0));
}

function tryTo(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

/** The last lines of a log, for an error message; `from` leaves out what was there before. */
export function lastLines(file: string, { count = 20, from = 0 } = {}): string[] {
  const bytesMax = 16 * 1024;
  try {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      // A log that was cut meanwhile has nothing old in it.
      const fresh = size < from ? size : size - from;
      if (fresh === 0) return [];
      const buffer = Buffer.alloc(Math.min(fresh, bytesMax));
      readSync(handle, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-count);
    } finally {
      closeSync(handle);
    }
  } catch {
    // It may never have been written.
    return [];
  }
}

export function logSize(file: string): number {
  try {
    const handle = openSync(file, 'r');
    try {
      return fstatSync(handle).size;
    } finally {
      closeSync(handle);
    }
  } catch {
    return 0;
  }
}
