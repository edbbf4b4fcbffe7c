/** What a file system or SQLite says when it cannot write, or finds a file damaged: in our codes. */
import { AppError, type RequestErrorCode } from '../contract/errors.ts';

interface Trouble {
  code: RequestErrorCode;
  what: string;
  hint: string;
}

const busy: Trouble = {
  code: 'database_busy',
  what: 'the database is locked by another program',
  hint: 'Nothing was written. Try again; if it stays so, see who has main.db open.',
};
const full: Trouble = {
  code: 'disk_full',
  what: 'there is no room left on the disk of the home',
  hint: 'Nothing was accepted. Make room and ask again: nothing has to be started anew. `offshoot doctor` shows the disks.',
};
const unwritable: Trouble = {
  code: 'store_unwritable',
  what: 'the home cannot be written',
  hint: 'Nothing was accepted. See whether the disk is mounted read-only or fails, and who owns the home: `offshoot doctor`.',
};
const damaged: Trouble = {
  code: 'database_damaged',
  what: 'the database is damaged',
  hint: '`offshoot doctor` reads all of it. `offshoot down`, then `offshoot restore` puts the last backup in its place and keeps the damaged file.',
};

/** By the beginning of the code: SQLite has many finer ones, such as SQLITE_IOERR_FSYNC. */
const troubles: [RegExp, Trouble][] = [
  [/^SQLITE_BUSY/, busy],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, full],
  [/^(SQLITE_(READONLY|IOERR|CANTOPEN)|EROFS|EIO|EFBIG)/, unwritable],
  [/^SQLITE_(CORRUPT|NOTADB)/, damaged],
];

/** Null for everything else. `file` names the database where there is only one that can be meant. */
export function asDiskTrouble(error: unknown, file: string | null = null): AppError | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (error instanceof AppError || typeof code !== 'string') return null;
  const found = troubles.find(([pattern]) => pattern.test(code))?.[1];
  if (found === undefined) return null;
  const where = file === null ? '' : `${file}: `;
  return new AppError(found.code, `${where}${found.what} (${String(message)})`, {
    cause: error,
    hint: found.hint,
  });
}

/** A file that says nothing of its own, where there must be a database. */
export function damagedDatabase(file: string, why: string): AppError {
  return new AppError(damaged.code, `${file}: ${damaged.what} (${why})`, { hint: damaged.hint });
}
