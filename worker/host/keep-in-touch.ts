/** The host's long poll: it is there, what it runs, and what it is to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { SyncAnswer } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import type { RunTable } from './run-table.ts';
import type { StoreApi } from './store-api.ts';

export interface TouchDeps {
  api: StoreApi;
  hostId: string;
  bootId: string;
  runs: RunTable;
  leaseMinutes(): number;
  isDraining(): boolean;
  onTemporal(target: NonNullable<SyncAnswer['temporal']>): void;
  /** The server does not know this boot: another store, perhaps. */
  sayHello(): Promise<void>;
  signal: AbortSignal;
}

/** Half of what counts as silence, so that one lost answer does not. */
const WAIT_SECONDS_MAX = 5;
const RETRY_MS = 250;

export async function keepInTouch(deps: TouchDeps): Promise<void> {
  const contact = createContact(deps);
  while (!deps.signal.aborted) {
    const asked = performance.now();
    try {
      const answer = await deps.api.sync(
        {
          hostId: deps.hostId,
          bootId: deps.bootId,
          runs: deps.runs.list(),
          draining: deps.isDraining(),
          waitSeconds: waitSeconds(deps),
        },
        deps.signal,
      );
      contact.made(asked);
      if (answer.stop.length > 0) reach('stop heard');
      for (const order of answer.stop) deps.runs.stop(order, order.reason);
      // What was just told to stop takes a moment: not to be asked for again at once.
      if (answer.stop.length > 0) await pause(deps.signal);
      if (answer.temporal) deps.onTemporal(answer.temporal);
    } catch (error) {
      if (deps.signal.aborted) return;
      if (error instanceof AppError && error.code === 'stale_claim') await greet(deps);
      if (contact.isLost()) deps.runs.stopAll('lost');
      await pause(deps.signal);
    }
  }
}

/** A poll must fit several times into the lease, or one lost answer would use it up. */
function waitSeconds(deps: TouchDeps): number {
  return deps.isDraining() ? 0.5 : Math.min(WAIT_SECONDS_MAX, deps.leaseMinutes() * 20);
}

/**
 * Whoever has had no contact for the time of the lease has lost its claims: the store counts the
 * same way. Counted in failed attempts as well as in time, because a machine that was asleep finds
 * much time gone and nobody to blame for it. A host that was told to let its agents finish does so.
 */
function createContact(deps: TouchDeps) {
  let last = performance.now();
  let failures = 0;
  return {
    made(at: number) {
      last = at;
      failures = 0;
    },
    isLost(): boolean {
      failures += 1;
      const isOver = performance.now() - last > deps.leaseMinutes() * 60_000;
      return isOver && failures >= FAILURES_MIN && !deps.isDraining();
    },
  };
}
const FAILURES_MIN = 4;

async function greet(deps: TouchDeps): Promise<void> {
  try {
    await deps.sayHello();
  } catch {
    // The server has gone again; the next round finds out.
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
}
