/** A server that has ended and is started again has no file in its home meanwhile: it is looked for until it has. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OffshootClient } from './client.ts';
import { NoServer } from './discover.ts';
import { isLookedAfter } from './looked-after.ts';
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
    async *watchSession(session, options) {
      yield* (await there(options?.signal)).watchSession(session, options);
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
