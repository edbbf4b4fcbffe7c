/** The host's long poll: it is there, what it runs, and what it is to begin and to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { AppError } from '../../contract/errors.ts';
import type { SyncAnswer } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { startLeaseClock } from './lease-clock.ts';
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
  log: Log;
}

/** Half of what counts as silence, so that one lost answer does not. */
const WAIT_SECONDS_MAX = 5;
const RETRY_MS = 250;

export async function keepInTouch(deps: TouchDeps): Promise<void> {
  const begin = createBeginner(deps);
  // Whoever has had no contact for the time of the lease has lost its claims: the store counts alike.
  const clock = startLeaseClock({ ...deps, onOver: () => deps.runs.stopAll('lost') });
  try {
    while (!deps.signal.aborted) {
      const asked = clock.now();
      try {
        const answer = await poll(deps);
        clock.heardSince(asked);
        if (answer.stop.length > 0) reach('stop heard');
        for (const order of answer.stop) deps.runs.stop(order, order.reason);
        const isNews = begin(answer.start);
        // What was just told takes a moment: not to be asked for again at once.
        if (answer.stop.length > 0 || !isNews) await pause(deps.signal);
        if (answer.temporal) deps.onTemporal(answer.temporal);
      } catch (error) {
        if (deps.signal.aborted) return;
        if (error instanceof AppError && error.code === 'stale_claim') await greet(deps);
        await pause(deps.signal);
      }
    }
  } finally {
    clock.stop();
  }
}

function poll(deps: TouchDeps): Promise<SyncAnswer> {
  const { api, hostId, bootId, runs, signal } = deps;
  const draining = deps.isDraining();
  const waitSeconds = pollSeconds(deps);
  return api.sync({ hostId, bootId, runs: runs.list(), draining, waitSeconds }, signal);
}

/** A poll must fit several times into the lease, or one lost answer would use it up. */
function pollSeconds(deps: TouchDeps): number {
  return deps.isDraining() ? 0.5 : Math.min(WAIT_SECONDS_MAX, deps.leaseMinutes() * 20);
}

/** Claims what the server says, each once at a time; false where all of it is being claimed already. */
function createBeginner({ runs, signal, log }: TouchDeps): (ids: string[]) => boolean {
  const claiming = new Set<string>();

  async function claim(id: string): Promise<void> {
    claiming.add(id);
    try {
      await runs.hold(id);
    } catch (error) {
      log(`claim of ${id}: ${String(error)}`, { invocation: id });
      await pause(signal);
    } finally {
      claiming.delete(id);
    }
  }

  return (ids) => {
    const fresh = ids.filter((id) => !claiming.has(id));
    for (const id of fresh) void claim(id);
    return ids.length === 0 || fresh.length > 0;
  };
}

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
