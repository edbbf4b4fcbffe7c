/** What a commit cannot do without: 8 kB of a file that is there, and a flush. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 8192;

export interface DiskFloor {
  flush(): void;
  close(): void;
}

export function openDiskFloor(folder: string): DiskFloor {
  const disk = openSync(join(folder, 'floor'), 'w+');
  const block = Buffer.alloc(BLOCK_BYTES, 1);
  // Overwritten from here on: a file that grows would cost more than the log that SQLite re-uses.
  writeSync(disk, Buffer.alloc(1 << 20));
  fdatasyncSync(disk);
  return {
    flush() {
      writeSync(disk, block, 0, block.length, 0);
      fdatasyncSync(disk);
    },
    close: () => closeSync(disk),
  };
}
