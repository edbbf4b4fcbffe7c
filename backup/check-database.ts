/** What state a database is in: sound or not, how large, what waits in it. */
import { existsSync, statSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import type { StoreCheck } from '../contract/system-records.ts';
import { openDatabase, type Db } from '../store/database.ts';
import { isWal } from '../store/has-database.ts';
import { knownSchema } from '../store/migrate.ts';
import { outboxState } from '../store/outbox.ts';
import { newestEntry, staleClaims } from '../store/survey.ts';
import { runThread } from './run-thread.ts';

/** Enough to see what is wrong; a damaged file may have thousands. */
const problemsMax = 20;

interface Soundness {
  schema: number;
  problems: string[];
}

export async function readSoundness(file: string): Promise<Soundness> {
  const script = new URL('./check-thread.mjs', import.meta.url);
  const found = await runThread<Soundness>(script, { file, problemsMax });
  if (isWal(`${file}-wal`)) return found;
  // SQLite would pass over it, and over all that was committed into it.
  return { ...found, problems: [`${file}-wal has no header of a WAL`, ...found.problems] };
}

/** `db` is a connection to the same file; null opens one for as long as it takes. */
export async function checkDatabase(file: string, now: string, db: Db | null): Promise<StoreCheck> {
  if (!existsSync(file)) throw new AppError('not_found', `there is no ${file} yet`);
  const { schema, problems } = await readSoundness(file);
  const rows = problems.length === 0 && schema === knownSchema() ? readRows(file, now, db) : noRows;
  return {
    file,
    problems,
    schema,
    knownSchema: knownSchema(),
    bytes: statSync(file).size,
    walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    ...rows,
    now,
  };
}

type Rows = Pick<StoreCheck, 'outbox' | 'staleClaims' | 'newestAt'>;
/** Of a file that is damaged, or of another version, its rows are not read. */
const noRows: Rows = { outbox: { rows: 0, oldestAt: null }, staleClaims: [], newestAt: null };

function readRows(file: string, now: string, given: Db | null): Rows {
  // To read only: closing it otherwise would fold the WAL in, which is not what was asked for.
  const db = given ?? openDatabase(file, { readonly: true });
  try {
    const { rows, oldest } = outboxState(db);
    return {
      outbox: { rows, oldestAt: oldest },
      staleClaims: staleClaims(db, now),
      newestAt: newestEntry(db),
    };
  } finally {
    if (given === null) db.close();
  }
}
