/**
 * How often a server has opened this store: counted in it and, once that is committed, in a file of its
 * home. Where the home knows of more, the database is a copy, older than what ran last.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import type { Db } from './database.ts';
import { flush } from './flush.ts';
import { readMeta, writeMeta } from './meta.ts';
import type { Tx } from './write-queue.ts';

export interface Openings {
  file: string;
  inStore: number;
  inHome: number;
}

const openings = 'openings';

export function readOpenings(db: Db, file: string): Openings {
  return { file, inStore: Number(readMeta(db, openings) ?? 0), inHome: countedIn(file) };
}

/** A home without a file that says so knows of none. */
const countedIn = (file: string) =>
  existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) || 0 : 0;

/** Where there is no database: that it was lost, or null in a home that never had one. */
export function lostDatabase(database: string, file: string): AppError | null {
  const times = countedIn(file);
  if (times === 0) return null;
  return new AppError(
    'database_damaged',
    `${database} is gone: a server has opened it before (${times} by the count in ${file})`,
    {
      hint: `Nothing was begun in its place. \`offshoot down\`, then put it back, or the last backup: \`offshoot restore\`. To begin anew without all that was in it: delete ${file}, then \`offshoot up\`.`,
    },
  );
}

/** The file last: of an opening that only the store knows, nothing has run. */
export function countOpening(tx: Tx, { file, inStore, inHome }: Openings): void {
  const count = `${Math.max(inStore, inHome) + 1}`;
  writeMeta(tx, openings, count);
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${count}\n`, { mode: 0o600 });
  flush(fresh);
  renameSync(fresh, file);
  flush(dirname(file));
}
