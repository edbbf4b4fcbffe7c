/** `server.json`: how clients find this server. */
import { existsSync, rmSync } from 'node:fs';
import type { HomePaths } from '../contract/home.ts';

/** Somebody who tidies the home must not cut all its clients off. */
const restoreEveryMs = 1_000;

export interface ServerFileKeeper {
  /** Writes it as things are now. */
  tell(): void;
  remove(): void;
}

export function keepServerFile(
  { home, serverFile }: Pick<HomePaths, 'home' | 'serverFile'>,
  write: () => void,
): ServerFileKeeper {
  let isRemoved = false;
  const tell = () => {
    if (!isRemoved) write();
  };
  // A home that was deleted as a whole is not brought back.
  const timer = setInterval(() => {
    if (existsSync(home) && !existsSync(serverFile)) tell();
  }, restoreEveryMs);
  timer.unref();
  return {
    tell,
    remove: () => {
      isRemoved = true;
      clearInterval(timer);
      rmSync(serverFile, { force: true });
    },
  };
}
