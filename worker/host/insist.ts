/** Asking a server that may be away until it answers, and telling what lasts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { isTurnedAway } from './store-api.ts';

/** The server is started beside us and takes a moment: only what keeps us longer is worth a line. */
const UNHEARD_MS = 20_000;
const RETRY_MS = 100;

export interface InsistDeps {
  log: Log;
  signal: AbortSignal;
  /** A person started it and waits: a server that will not have it is told to them. */
  endsWhenRefused?: boolean;
  /** Takes the place of the log's own. */
  trouble?: Trouble;
  /** Tests are less patient. */
  unheardMs?: number;
}

/** Told of each failure, and when it is over; says what is worth a line. */
export interface Trouble {
  lasts(error: unknown): void;
  over(): void;
}

/** Throws where asking again changes nothing. */
export async function insist(
  what: string,
  attempt: () => Promise<void>,
  { signal, endsWhenRefused = false, ...deps }: InsistDeps,
  isHopeless: (error: unknown) => boolean = () => false,
): Promise<void> {
  const trouble = deps.trouble ?? createTrouble(what, deps);
  while (!signal.aborted) {
    try {
      await attempt();
      trouble.over();
      return;
    } catch (error) {
      if ((endsWhenRefused && isTurnedAway(error)) || isHopeless(error)) throw error;
      trouble.lasts(error);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** The same reason again and again is one line in the log, and so is that it is over. */
export function createTrouble(
  what: string,
  { log, unheardMs = UNHEARD_MS }: Pick<InsistDeps, 'log' | 'unheardMs'>,
): Trouble {
  let since: number | null = null;
  let said = '';
  return {
    lasts(error: unknown): void {
      since ??= performance.now();
      const isLong = performance.now() - since > unheardMs;
      if (isLong && String(error) !== said) log(`${what}: ${(said = String(error))}`);
    },
    over(): void {
      if (said !== '') log(`${what}: over, the server answers`, { level: 'info' });
      since = null;
      said = '';
    },
  };
}
