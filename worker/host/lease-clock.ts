/** How long this host has had no contact, and what follows when that is longer than its lease. */
import { uptime } from 'node:os';

export interface LeaseClockDeps {
  leaseMinutes(): number;
  /** A host that was told to let its agents finish does so, contact or not. */
  isDraining(): boolean;
  onOver(): void;
  /** Milliseconds that go on while the machine sleeps, as they do for the server. */
  now?: () => number;
}

export interface LeaseClock {
  now(): number;
  /** The server has answered what was asked of it then: it counts from the question, as the server does. */
  heardSince(askedAt: number): void;
  stop(): void;
}

const LOOK_MS = 250;
/** A longer gap between two looks means that this machine, or this process, has slept … */
const ASLEEP_MS = 5000;
/** … and then it gets this long to find out whether its server is there before it ends anything. */
const WAKE_MS = 10_000;

/**
 * Looks by itself, whatever a request is waiting for: on a network that swallows packets each takes
 * long to fail, and the server counts on it that the processes are gone soon after the lease.
 */
export function startLeaseClock(deps: LeaseClockDeps): LeaseClock {
  const now = deps.now ?? (() => uptime() * 1000);
  let heardAt = now();
  let lookedAt = heardAt;
  let notBefore = heardAt;
  const timer = setInterval(() => {
    const at = now();
    if (at - lookedAt > ASLEEP_MS) notBefore = at + WAKE_MS;
    lookedAt = at;
    const isOver = at - heardAt > deps.leaseMinutes() * 60_000 && at >= notBefore;
    if (isOver && !deps.isDraining()) deps.onOver();
  }, LOOK_MS);
  return {
    now,
    heardSince: (askedAt) => void (heardAt = Math.max(heardAt, askedAt)),
    stop: () => clearInterval(timer),
  };
}
