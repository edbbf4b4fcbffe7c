/** A server that has ended and is started again has no file in its home meanwhile: it is looked for until it has. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../contract/home.ts';
import type { OffshootClient } from './client.ts';
import { NoServer } from './discover.ts';
import { patienceWith } from './transport.ts';

/** A look at two small files. */
const lookEveryMs = 100;

export interface ComingServer {
  /** The one that is used, if it is not the home's. */
  token: string | null;
  retryMs?: number | undefined;
  /** Told before each further look. */
  onWait?: (away: { sinceMs: number; retryMs: number }) => void;
}

/** What `find` gives, at once; where there is no server yet, a client that waits for it when something is asked. */
export function clientOnceThere(find: () => OffshootClient, server: ComingServer): OffshootClient {
  try {
    return find();
  } catch (error) {
    if (!isComing(error)) throw error;
  }
  let found: OffshootClient | null = null;
  const there = async (signal?: AbortSignal) => (found ??= await untilFound(find, server, signal));
  return {
    get url() {
      return (found ??= find()).url;
    },
    call: async (name, input, options) => (await there(options?.signal)).call(name, input, options),
    async *events(id, options) {
      yield* (await there(options?.signal)).events(id, options);
    },
  };
}

async function untilFound(
  find: () => OffshootClient,
  { token, retryMs = patienceWith(token ?? ''), onWait }: ComingServer,
  signal: AbortSignal | undefined,
): Promise<OffshootClient> {
  const from = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return find();
    } catch (error) {
      const sinceMs = performance.now() - from;
      if (!isComing(error) || sinceMs + lookEveryMs > retryMs) throw error;
      onWait?.({ sinceMs, retryMs });
    }
    await sleep(lookEveryMs, undefined, signal ? { signal } : {});
  }
}

const isComing = (error: unknown) =>
  error instanceof NoServer && error.isGone && isLookedAfter(error.home);

/**
 * Whether a launcher lives that starts the server again: not one that is ending it all. Only its pid is looked at,
 * so where another process has got the number since, the wait is in vain.
 */
function isLookedAfter(home: string): boolean {
  const { launcherFile } = homePaths(home);
  try {
    const note = JSON.parse(readFileSync(launcherFile, 'utf8')) as Record<string, unknown>;
    // In a copy of a home that is in use, it is the other home's launcher.
    const { dev, ino } = statSync(dirname(launcherFile), { bigint: true });
    if (note['isStopping'] === true || note['folder'] !== `${dev}:${ino}`) return false;
    return process.kill(Number(note['pid']), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
