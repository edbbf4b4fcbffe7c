import { closeSync, copyFileSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';

/** One old file is kept beside the current one, so a log takes twice this at most. */
export const logBytesMax = 10 * 1024 * 1024;

/**
 * Copies and truncates, because the process that writes holds the file open and is not to be asked.
 * It appends, so it goes on at the new end; lines written between the two steps are lost.
 */
export function capLog(file: string, bytesMax = logBytesMax): void {
  const size = sizeOf(file);
  if (size <= bytesMax) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}

/** The last lines of a log, for an error message. */
export function lastLines(file: string, count = 20): string[] {
  const bytesMax = 16 * 1024;
  try {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      const buffer = Buffer.alloc(Math.min(size, bytesMax));
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

function sizeOf(file: string): number {
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
