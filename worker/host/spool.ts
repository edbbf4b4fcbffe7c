/** Reports of one run that wait on disk while the server is away: one JSON line each. */
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { reportSchema, type Report, type RunKey } from '../../contract/store-api.ts';

export interface SpoolKey extends RunKey {
  bootId: string;
}

export interface Spool {
  /** Durable: an ending outlives a power cut, like one that was committed. */
  append(reports: Report[], how: { durable: boolean }): void;
  /** All that was not taken off yet, in order. */
  read(): Report[];
  bytes(): number;
  remove(): void;
}

export function openSpool(folder: string, key: SpoolKey): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${key.bootId}~${key.invocationId}~${key.runNo}.jsonl`);
  return {
    append(reports, { durable }) {
      const descriptor = openSync(file, 'a', 0o600);
      try {
        appendFileSync(descriptor, reports.map((report) => `${JSON.stringify(report)}\n`).join(''));
        if (durable && reports.some((report) => report.type !== 'event')) fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
    read: () => readLines(file),
    bytes: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    remove: () => rmSync(file, { force: true }),
  };
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

/** The last line may have been cut short by a kill: then it was never acknowledged to anybody. */
function readLines(file: string): Report[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = reportSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}
