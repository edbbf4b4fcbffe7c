/** `server.json`: how clients find this server. */
import { existsSync, rmSync } from 'node:fs';
import type { HomePaths } from '../contract/home.ts';
import type { Log } from '../contract/log.ts';

/** Somebody who tidies the home must not cut all its clients off. */
const restoreEveryMs = 1_000;

export interface ServerFileKeeper {
  /** Writes it as things are now; later, where it cannot be written now. */
  tell(): void;
  remove(): void;
}

export function keepServerFile(
  { home, serverFile }: Pick<HomePaths, 'home' | 'serverFile'>,
  write: () => void,
  log: Log,
): ServerFileKeeper {
  let isRemoved = false;
  let problem: string | null = null;
  /** Never throws: no room for this file is no reason to serve nobody. */
  const tell = () => {
    if (isRemoved) return;
    const before = problem;
    try {
      write();
      problem = null;
    } catch (error) {
      problem = String(error);
      if (problem !== before) log(`server.json: ${problem}; tried again until it is written`);
    }
  };
  // A home that was deleted as a whole is not brought back.
  const timer = setInterval(() => {
    if (existsSync(home) && (problem !== null || !existsSync(serverFile))) tell();
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
