/** Sends what waits, oldest first and one after the other; only one process of the home does so at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookSpool } from '../../client/hook-spool.ts';
import { postHook, type HookServer } from '../../client/post-hook.ts';
import { releaseFileLock, takeFileLock } from '../../engine/file-lock.ts';

const lockPollMs = 20;

/** Whether nothing waits any more. */
export async function sendSpooled(
  spool: HookSpool,
  server: HookServer,
  signal: AbortSignal,
  onLocked: (why: string) => void = () => {},
): Promise<boolean> {
  while ((await takeFileLock(spool.lockFile)) !== null) {
    if (signal.aborted) return false;
    await sleep(lockPollMs);
    if (spool.names().length === 0) return true;
  }
  try {
    const isClear = await sendAll(spool, server, signal, onLocked);
    if (isClear) spool.forget();
    return isClear;
  } finally {
    releaseFileLock(spool.lockFile);
  }
}

async function sendAll(
  spool: HookSpool,
  server: HookServer,
  signal: AbortSignal,
  onLocked: (why: string) => void,
): Promise<boolean> {
  for (let names = spool.names(); names.length > 0; names = spool.names()) {
    for (const name of names) {
      const hook = spool.read(name);
      if (hook === null) continue;
      const posted = await postHook(server, hook, { signal, isLate: true });
      if (posted.kind === 'away') return false;
      if (posted.kind === 'locked') {
        // The home's own token may be another one tomorrow. What a spool says of itself stays as it is.
        if (spool.server() === null) return false;
        spool.setAside(names);
        onLocked(posted.why);
        break;
      }
      // A refused one is as it would have been at its time: the server does not want it, and never will.
      spool.remove(name);
    }
  }
  return true;
}
