/** Sends what waits, oldest first and one after the other; only one process of the home does so at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookSpool, SpooledHook } from '../../client/hook-spool.ts';
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
  return holding(spool, signal, () => sendAll(spool, server, signal, onLocked));
}

/**
 * Tries once what nobody has settled yet; one session's keeps back its own only. So this is not what a hook waits for:
 * the server does it, now and then.
 */
export async function sendUnsettled(
  spool: HookSpool,
  server: HookServer,
  signal: AbortSignal,
  onUnsettled: (why: string) => void,
): Promise<boolean> {
  return holding(spool, signal, async () => {
    const stuck = new Set<unknown>();
    for (const name of spool.names()) {
      // There may be thousands, and the server has others to answer meanwhile.
      await sleep(0);
      const hook = spool.read(name);
      if (hook === null || stuck.has(hook.request['sessionKey'])) continue;
      const posted = await postHook(server, hook, { signal, isLate: true });
      if (posted.kind === 'away' || posted.kind === 'locked') return false;
      if (posted.kind === 'unsettled') {
        stuck.add(hook.request['sessionKey']);
        onUnsettled(posted.why);
      } else {
        spool.remove(name);
      }
    }
    return stuck.size === 0;
  });
}

async function holding(
  spool: HookSpool,
  signal: AbortSignal,
  send: () => Promise<boolean>,
): Promise<boolean> {
  while ((await takeFileLock(spool.lockFile)) !== null) {
    if (signal.aborted) return false;
    await sleep(lockPollMs);
    if (spool.names().length === 0) return true;
  }
  try {
    const isClear = await send();
    if (isClear) spool.forget();
    return isClear;
  } finally {
    releaseFileLock(spool.lockFile);
  }
}

/** False where the disk takes nothing now. Over its limit it is dropped, as any hook is that comes then. */
function moveAside(spool: HookSpool, hook: SpooledHook): boolean {
  try {
    spool.unsettled().add(hook);
    return true;
  } catch {
    // It waits where it is, and is told as what could not be sent yet.
    return false;
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
      // It must not keep back those behind it.
      if (posted.kind === 'unsettled' && !moveAside(spool, hook)) return false;
      // A refused one is as it would have been at its time: the server does not want it, and never will.
      spool.remove(name);
    }
  }
  return true;
}
