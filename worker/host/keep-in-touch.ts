/** The host's long poll: it is there, what it runs, and what it is to begin and to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { anySignal } from '../../contract/any-signal.ts';
import { AppError } from '../../contract/errors.ts';
import type { RunKey, SyncAnswer } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { createTrouble, type Trouble } from './insist.ts';
import { startLeaseClock } from './lease-clock.ts';
import { nameOf, type RunTable } from './run-table.ts';
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
  /** Takes the place of the log's own. */
  trouble?: Trouble;
  /** Tests are less patient. */
  unheardMs?: number;
}

/** Half of what counts as silence, so that one lost answer does not. */
const WAIT_SECONDS_MAX = 5;
const RETRY_MS = 250;
/** A server that is away, or ends as well, is not waited for. */
const GOODBYE_MS = 1000;

export async function keepInTouch(deps: TouchDeps): Promise<void> {
  const beginner = createBeginner(deps);
  const silence = deps.trouble ?? createTrouble('the server is not heard', deps);
  // Whoever has had no contact for the time of the lease has lost its claims: the store counts alike.
  const clock = startLeaseClock({ ...deps, onOver: () => giveUp(deps) });
  try {
    while (!deps.signal.aborted) {
      const asked = clock.now();
      try {
        const answer = await poll(deps, [...beginner.claiming(), ...deps.runs.stopping()]);
        clock.heardSince(asked);
        silence.over();
        if (answer.start.length > 0) reach('start heard');
        if (answer.stop.length > 0) reach('stop heard');
        for (const order of answer.stop) deps.runs.stop(order, order.reason);
        const fresh = beginner.begin(answer.start);
        // A server that does not take our word for it: what is known must not come at the pace of its answers.
        if (answer.start.length > 0 && fresh === 0) await pause(deps.signal);
        if (answer.temporal) deps.onTemporal(answer.temporal);
      } catch (error) {
        if (deps.signal.aborted) break;
        silence.lasts(error);
        if (error instanceof AppError && error.code === 'stale_claim') await greet(deps);
        await pause(deps.signal);
      }
    }
  } finally {
    clock.stop();
  }
  await sayGoodbye(deps);
}

/** Said after the last poll, so that none of them takes it back. What it was given goes on elsewhere at once. */
async function sayGoodbye({ api, hostId, bootId, runs }: TouchDeps): Promise<void> {
  const word = { hostId, bootId, runs: runs.list(), heard: [], draining: true, waitSeconds: 0 };
  try {
    await api.sync(word, AbortSignal.timeout(GOODBYE_MS));
  } catch {
    // Then its silence says so, a while later.
  }
}

/** Called for as long as that lasts, and told once. */
function giveUp({ runs, leaseMinutes, log }: TouchDeps): void {
  const left = runs.list().length - runs.stopping().length;
  const why = `the server was not heard for longer than the lease (${leaseMinutes()} min)`;
  if (left > 0) log(`${why}: what runs here is ended (${left})`);
  runs.stopAll('lost');
}

function poll(deps: TouchDeps, heard: RunKey[]): Promise<SyncAnswer> {
  const { api, hostId, bootId, runs, signal } = deps;
  const draining = deps.isDraining();
  const waitSeconds = pollSeconds(deps);
  // Contact counts from the question: an answer as late as the lease would bring orders that are over already.
  const patience = AbortSignal.timeout(deps.leaseMinutes() * 30_000);
  const either = anySignal([signal, patience]);
  return api.sync({ hostId, bootId, runs: runs.list(), heard, draining, waitSeconds }, either);
}

/** A poll must fit several times into the lease, or one lost answer would use it up. */
function pollSeconds(deps: TouchDeps): number {
  return deps.isDraining() ? 0.5 : Math.min(WAIT_SECONDS_MAX, deps.leaseMinutes() * 15);
}

/** Claims what the server says, each once at a time, whatever workflow and lease do meanwhile. */
function createBeginner(deps: TouchDeps) {
  const { runs, signal, log } = deps;
  const claiming = new Map<string, RunKey>();

  async function claim({ invocationId, runNo }: RunKey): Promise<void> {
    try {
      const run = await runs.hold(invocationId);
      if (run === 'over') return;
      // Should the store insist, then not at the pace of its answers.
      if (run === null) return await pause(signal);
      // The store has the end of the run before, and this process is about to hear that it has.
      if (run.runNo < runNo) await run.reported.then(() => runs.hold(invocationId));
    } catch (error) {
      if (deps.isDraining()) return;
      log(`claim of ${invocationId}: ${String(error)}`, { invocation: invocationId });
      await pause(signal);
    }
  }

  return {
    claiming: () => [...claiming.values()],
    /** How many of these are not being claimed already. */
    begin(orders: RunKey[]): number {
      if (deps.isDraining()) return 0;
      const fresh = orders.filter((order) => !claiming.has(nameOf(order)));
      for (const order of fresh) {
        const name = nameOf(order);
        claiming.set(name, order);
        void claim(order).finally(() => claiming.delete(name));
      }
      return fresh.length;
    },
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
