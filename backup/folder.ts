/** The folder of backups: names that sort by time, and no more of them than wanted. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { halfName, notMade } from './copy-database.ts';

export interface KeptBackup {
  file: string;
  /** Milliseconds since 1970, as its name says. */
  at: number;
}

const pattern = /^main-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\.db$/;

/** Without colons, which not every file system takes. */
export const timeStamp = (at: Date) => at.toISOString().replace(/[:.]/g, '-');

export const backupName = (at: Date) => `main-${timeStamp(at)}.db`;

/** Newest first. What has another name is somebody else's. */
export function listBackups(folder: string): KeptBackup[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const stamp = pattern.exec(name)?.[1];
      return stamp === undefined ? [] : [{ file: join(folder, name), at: timeOf(stamp) }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/** One of the future was made by a clock that was wrong: it does not say when. */
export const newestBackup = (kept: readonly KeptBackup[], now: number): KeptBackup | undefined =>
  kept.find(({ at }) => at <= now);

export function openFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw notMade(folder, cause);
  }
}

/** Removes what is too much, but never `fresh`; and what a kill has left half. */
export function prune(folder: string, keep: number, fresh: string): void {
  const all = listBackups(folder);
  const now = all.find(({ file }) => file === fresh)?.at ?? Infinity;
  // Of a wrong clock's future is what is older in truth.
  const byAge = [...all.filter(({ at }) => at <= now), ...all.filter(({ at }) => at > now)];
  const others = byAge.filter(({ file }) => file !== fresh);
  for (const { file } of others.slice(Math.max(0, keep - 1))) rmSync(file, { force: true });
  for (const name of readdirSync(folder)) {
    if (isHalf(name)) rmSync(join(folder, name), { force: true });
  }
}

const isHalf = (name: string) =>
  pattern.test(name.slice(1, -'.half'.length)) && halfName(name.slice(1, -'.half'.length)) === name;

function timeOf(stamp: string): number {
  const [date, time = ''] = stamp.split('T');
  const [hours, minutes, seconds, ms] = time.slice(0, -1).split('-');
  return Date.parse(`${date}T${hours}:${minutes}:${seconds}.${ms}Z`);
}
