/** The host's long poll: it is there, what it runs, and what it is to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { SyncAnswer } from '../../contract/store-api.ts';
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
const WAIT_SECONDS = 5;
const RETRY_MS = 250;

export async function keepInTouch(deps: TouchDeps): Promise<void> {
  let lastContact = Date.now();
  while (!deps.signal.aborted) {
    try {
      const answer = await deps.api.sync(
        {
          hostId: deps.hostId,
          bootId: deps.bootId,
          runs: deps.runs.list(),
          draining: deps.isDraining(),
          waitSeconds: deps.isDraining() ? 0.5 : WAIT_SECONDS,
        },
        deps.signal,
      );
      lastContact = Date.now();
      for (const order of answer.stop) deps.runs.stop(order, order.reason);
      // What was just told to stop takes a moment: not to be asked for again at once.
      if (answer.stop.length > 0) await pause(deps.signal);
      if (answer.temporal) deps.onTemporal(answer.temporal);
    } catch (error) {
      if (deps.signal.aborted) return;
      if (error instanceof AppError && error.code === 'stale_claim') await greet(deps);
      // Whoever has no contact for so long has lost its claims: the store counts the same way.
      if (Date.now() - lastContact > deps.leaseMinutes() * 60_000) deps.runs.stopAll('lost');
      await pause(deps.signal);
    }
  }
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
