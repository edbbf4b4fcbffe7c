/** Findings about room on the disks of home and backups. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { formatBytes } from '../render/bytes.ts';
import { ill, well, type Finding } from '../render/findings.ts';

/** Transcripts and the engine's database grow by this in a busy day or two. */
const freeBytesMin = 1024 ** 3;
/** With less than this no write is sure to succeed any more. */
const freeBytesLast = 100 * 1024 ** 2;
/** Each run makes a few files for as long as it lasts. */
const freeFilesMin = 10_000;

export function checkDisk(folders: readonly string[]): Finding[] {
  // Each disk once, under the first folder that lies on it.
  const byDisk = new Map<number, string>();
  for (const folder of folders.filter((one) => existsSync(one))) {
    const { dev } = statSync(folder);
    if (!byDisk.has(dev)) byDisk.set(dev, folder);
  }
  return [...byDisk.values()].flatMap(checkFolder);
}

function checkFolder(folder: string): Finding[] {
  const { bavail, bsize, ffree, files } = statfsSync(folder);
  const free = bavail * bsize;
  const room = `${formatBytes(free)} free`;
  const found: Finding[] = [];
  if (free >= freeBytesMin) found.push(well('disk', `${folder}: ${room}`));
  else {
    found.push(
      ill(free >= freeBytesLast ? 'warning' : 'error', 'disk', {
        what: `${folder}: ${room}`,
        why: 'Without room nothing more is accepted, and answers wait in memory.',
        remedy: `free some room on the disk of ${folder}`,
      }),
    );
  }
  // Some file systems do not count them.
  if (files > 0 && ffree < freeFilesMin) {
    found.push(
      ill('warning', 'inodes', {
        what: `${folder}: room for ${ffree} more files`,
        why: 'Each run needs a few, however much room is left.',
        remedy: `remove files that nobody needs from the disk of ${folder}`,
      }),
    );
  }
  return found;
}
