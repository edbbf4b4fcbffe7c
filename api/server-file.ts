/** `server.json`: how clients find this server. */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { HomePaths } from '../contract/home.ts';
import type { Log } from '../contract/log.ts';

/** Somebody who tidies the home must not cut all its clients off. */
const restoreEveryMs = 1_000;

export interface ServerFileKeeper {
  /** Writes it as things are now; later, where it cannot be written now. */
  tell(): void;
  /** Unless it is another server's by now. */
  remove(): void;
}

export function keepServerFile(
  { home, serverFile }: Pick<HomePaths, 'home' | 'serverFile'>,
  write: () => void,
  log: Log,
): ServerFileKeeper {
  const folder = openFolder(home);
  let isRemoved = false;
  let problem: string | null = null;
  let written: string | null = null;
  /** Never throws: no room for this file is no reason to serve nobody. */
  const tell = () => {
    // A home that was deleted as a whole is not brought back, and one that took its place is another server's.
    if (isRemoved || !folder.isThere()) return;
    const before = problem;
    try {
      write();
      written = contentOf(serverFile);
      problem = null;
    } catch (error) {
      problem = String(error);
      if (problem !== before) log(`server.json: ${problem}; tried again until it is written`);
    }
  };
  const timer = setInterval(() => {
    if (problem !== null || !existsSync(serverFile)) tell();
  }, restoreEveryMs);
  timer.unref();
  return {
    tell,
    remove: () => {
      isRemoved = true;
      clearInterval(timer);
      // A server that comes after this one may have written its own already.
      const isOwn = folder.isThere() && written !== null && contentOf(serverFile) === written;
      if (isOwn) rmSync(serverFile, { force: true });
      folder.close();
    },
  };
}

/** Null where there is none, or none that can be read. */
function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The very folder: while it is open its number is given to no other one. */
function openFolder(path: string) {
  const handle = openSync(path, 'r');
  const own = fstatSync(handle, { bigint: true });
  return {
    isThere: () => {
      try {
        const now = statSync(path, { bigint: true, throwIfNoEntry: false });
        return now?.dev === own.dev && now.ino === own.ino;
      } catch {
        // A disk in trouble says nothing of the folder.
        return true;
      }
    },
    close: () => closeSync(handle),
  };
}
