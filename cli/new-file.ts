/** A new file that is there whole or not at all: until then its words stand in another one beside it. */
import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { asDiskTrouble } from '../domain/disk-trouble.ts';
import { usageError } from './report-error.ts';

export async function writeNewFile(file: string, text: AsyncIterator<string, void>): Promise<void> {
  if (await isThere(file)) throw isTaken(file);
  // Before anything is made: what cannot be asked for leaves nothing behind.
  const first = await text.next();
  // Of its own: two at once do not write into one, and nobody's file is in the way.
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  try {
    const handle = await open(part, 'wx', 0o600);
    try {
      // All of each page: one write takes as much as there is room for, and that is no error.
      for (let next = first; next.done !== true; next = await text.next()) {
        await handle.appendFile(next.value);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await giveName(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw notWritten(file, error);
  }
}

/** A link takes nobody's name, also of a file that was made meanwhile; not every disk has them. */
async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    if ((await isThere(file)) || !noLinks.has(codeOf(error))) throw error;
    return rename(part, file);
  }
  await rm(part);
}

const noLinks: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

const isTaken = (file: string) =>
  usageError(`${file} cannot be made: it is there already`, 'Name a new file.');

/** What went wrong elsewhere says so itself. */
function notWritten(file: string, error: unknown): unknown {
  const { message } = error as Error;
  const trouble = asDiskTrouble(error);
  if (trouble !== null) {
    return new AppError(trouble.code, `${file} was not written: ${message}`, {
      cause: error,
      hint: 'Nothing is left of it. Make room, or have that disk take writes, or name a file on another disk.',
    });
  }
  switch (codeOf(error)) {
    case 'EEXIST':
      return isTaken(file);
    case 'ENOENT':
    case 'ENOTDIR':
      return usageError(
        `${file} cannot be made: its folder is not there`,
        'Make the folder first.',
      );
    case 'EACCES':
    case 'EPERM':
      return usageError(
        `${file} cannot be made: you may not write there`,
        'Name a file in a folder of your own.',
      );
    default:
      return typeof codeOf(error) === 'string' && !(error instanceof AppError)
        ? usageError(`${file} cannot be made: ${message}`, 'Name another file.')
        : error;
  }
}
