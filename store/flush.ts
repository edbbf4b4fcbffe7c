import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was written there outlives a power cut: the content of a file, the names in a folder. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
