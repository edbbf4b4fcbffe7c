/** Reports of one run that wait on disk while the server is away: one JSON line each. */
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { reportSchema, type Report, type RunKey } from '../../contract/store-api.ts';

export interface SpoolKey extends RunKey {
  bootId: string;
}

export interface Spool {
  /** Durable: an ending outlives a power cut, like one that was committed. Throws when the disk does. */
  append(reports: Report[], how: { durable: boolean }): void;
  /** What stands from this byte on, a part of it at a time, and where the next part begins. Null at the end. */
  page(from: number): { reports: Report[]; to: number } | null;
  bytes(): number;
  remove(): void;
}

/** One message to the store holds about as much. */
const PAGE_BYTES = 1024 * 1024;

export function openSpool(folder: string, key: SpoolKey): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${key.bootId}~${key.invocationId}~${key.runNo}.jsonl`);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    append(reports, { durable }) {
      const lines = Buffer.from(reports.map((report) => `${JSON.stringify(report)}\n`).join(''));
      const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
      try {
        // Half a line of an append that failed must not stand before what comes now.
        ftruncateSync(descriptor, bytes);
        writeAll(descriptor, lines, bytes);
        if (durable && reports.some((report) => report.type !== 'event')) fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      bytes += lines.length;
    },
    page: (from) => readPage(file, from),
    bytes: () => bytes,
    remove() {
      bytes = 0;
      rmSync(file, { force: true });
    },
  };
}

function writeAll(descriptor: number, content: Buffer, at: number): void {
  for (let done = 0; done < content.length;) {
    done += writeSync(descriptor, content, done, content.length - done, at + done);
  }
}

/** What earlier boots have left behind. */
export function leftSpools(folder: string): SpoolKey[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [bootId, invocationId, runNo] = name.replace(/\.jsonl$/, '').split('~');
    if (!bootId || !invocationId || !runNo) return [];
    return [{ bootId, invocationId, runNo: Number(runNo) }];
  });
}

/** As many whole lines as fit into a page, or one that does not. */
function readPage(file: string, from: number): { reports: Report[]; to: number } | null {
  const descriptor = openSync(file, 'r');
  try {
    for (let size = PAGE_BYTES; ; size *= 4) {
      const buffer = Buffer.allocUnsafe(size);
      const length = readSync(descriptor, buffer, 0, size, from);
      if (length === 0) return null;
      const lines = buffer.subarray(0, length);
      const end = lines.lastIndexOf(0x0a) + 1;
      if (end > 0) return { reports: parseLines(lines.subarray(0, end)), to: from + end };
      // The last line may have been cut short by a kill: then it was never acknowledged to anybody.
      if (length < size) return null;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A line that cannot be read is left out; what it said is lost, and the rest is not. */
function parseLines(lines: Buffer): Report[] {
  return lines
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const parsed = reportSchema.safeParse(JSON.parse(line));
        return parsed.success ? [parsed.data] : [];
      } catch {
        return [];
      }
    });
}
