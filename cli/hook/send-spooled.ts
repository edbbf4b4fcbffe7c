/** Sends what waits, oldest first and one after the other; only one process of the home does so at a time. */
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { deathsAt, type HookSpool, type SpooledHook } from '../../client/hook-spool.ts';
import { postHook, type HookServer, type Posted } from '../../client/post-hook.ts';
import { limits } from '../../contract/limits.ts';
import { releaseFileLock, takeFileLock } from '../../engine/file-lock.ts';

const lockPollMs = 20;

export interface Sending {
  server: HookServer;
  signal: AbortSignal;
  /** The server is this process: what it dies at has to be written down before. */
  isServer?: boolean;
  /** Hooks were set aside. */
  onAside?: (why: string) => void;
}

/** Whether nothing waits any more. */
export async function sendSpooled(spool: HookSpool, sending: Sending): Promise<boolean> {
  return holding(spool, sending.signal, () => sendAll(spool, sending));
}

/**
 * Tries once what nobody has settled yet; one session's keeps back its own only. So this is not what a hook waits for:
 * the server does it, now and then.
 */
export async function sendUnsettled(
  spool: HookSpool,
  sending: Sending,
  onUnsettled: (why: string) => void,
): Promise<boolean> {
  return holding(spool, sending.signal, async () => {
    const stuck = new Set<unknown>();
    for (const name of spool.names()) {
      // There may be thousands, and the server has others to answer meanwhile.
      await sleep(0);
      const hook = spool.read(name);
      if (hook === null || stuck.has(hook.request['sessionKey'])) continue;
      const sent = await sendOne(spool, name, hook, sending);
      if (sent === null) continue;
      const { posted } = sent;
      if (posted.kind === 'away' || posted.kind === 'locked') return false;
      if (posted.kind === 'unsettled') {
        stuck.add(hook.request['sessionKey']);
        onUnsettled(posted.why);
      } else {
        spool.remove(sent.name);
      }
    }
    return stuck.size === 0;
  });
}

async function sendAll(spool: HookSpool, sending: Sending): Promise<boolean> {
  for (let names = spool.names(); names.length > 0; names = spool.names()) {
    for (const name of names) {
      const hook = spool.read(name);
      const sent = hook && (await sendOne(spool, name, hook, sending));
      if (hook === null || sent === null) continue;
      const { posted } = sent;
      if (posted.kind === 'away') return false;
      if (posted.kind === 'locked') {
        // The home's own token may be another one tomorrow. What a spool says of itself stays as it is.
        if (spool.server() === null) return false;
        spool.setAside(spool.names(), 'locked');
        sending.onAside?.(posted.why);
        break;
      }
      // It must not keep back those behind it.
      if (posted.kind === 'unsettled' && !moveAside(spool, hook)) return false;
      // A refused one is as it would have been at its time: the server does not want it, and never will.
      spool.remove(sent.name);
    }
  }
  return true;
}

interface Sent {
  posted: Posted;
  /** As its file is called now. */
  name: string;
}

/**
 * Counts at which hook the server dies, and sets aside what it has died at too often. Whoever else sends it learns that
 * from the connection, which breaks off; so a sender that is killed counts for nothing. At what it only fails counts the
 * server's own look, which comes now and then: what fails for a moment is not set aside. `null`: it does not wait any more.
 */
async function sendOne(
  spool: HookSpool,
  name: string,
  hook: SpooledHook,
  { server, signal, isServer = false, onAside }: Sending,
): Promise<Sent | null> {
  const deaths = deathsAt(name);
  if (deaths >= limits.hookDeathsMax) {
    spool.setAside([name], 'deadly');
    onAside?.(`the server has died or failed ${deaths} times at ${name}`);
    return null;
  }
  const counted = isServer ? spool.count(name, deaths + 1) : name;
  if (counted === null) return null;
  const posted = await postHook(server, hook, { signal, isLate: true });
  const isTaken = posted.kind === 'answered' || posted.kind === 'refused';
  if (isTaken) return { posted, name: counted };
  const hasDied = posted.kind === 'away' && (posted.isBroken || (isServer && posted.isFailed));
  const now = spool.count(counted, hasDied ? deaths + 1 : deaths);
  return now === null ? null : { posted, name: now };
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

async function holding(
  spool: HookSpool,
  signal: AbortSignal,
  send: () => Promise<boolean>,
): Promise<boolean> {
  // Whoever looks who holds a lock that is a pipe waits for somebody to write into it.
  const lock = lstatSync(spool.lockFile, { throwIfNoEntry: false });
  if (lock && !lock.isFile()) throw new Error(`${spool.lockFile} is no lock of ours: remove it`);
  while ((await orAborted(takeFileLock(spool.lockFile), signal)) !== null) {
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

/** A lock whose breaker was killed is free after seconds only: too long for a program that waits for us. */
function orAborted<T>(taking: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const end = () => resolve('aborted');
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    void taking.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
