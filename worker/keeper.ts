/** The server's one timer: what time brings about, looked for while anything is open. */
import type { Log } from '../contract/log.ts';
import type { Config } from '../contract/config.ts';
import type { Store } from '../store/index.ts';
import { expire, hasExpirable } from '../store/lifecycle/expire.ts';

const EVERY_MS = 1000;
/** After its grace a killed process still has to be seen and reported. */
const REPORT_MS = 20_000;
/** A longer gap between two looks means that this process, or the machine, has slept. */
const ASLEEP_MS = 5000;

export function startKeeper(
  store: Store,
  config: () => Config,
  log: Log,
  everyMs = EVERY_MS,
): () => void {
  let awakeSince = store.now();
  let lastLook = awakeSince;
  let problem: string | null = null;
  const timer = setInterval(() => {
    const now = store.now();
    const gapMs = Date.parse(now) - Date.parse(lastLook);
    // Or the clock was set: set back, it would be an hour before we were awake for a moment.
    if (gapMs > ASLEEP_MS || gapMs < 0) awakeSince = now;
    lastLook = now;
    if (!hasExpirable({ db: store.db, now: store.now() })) return;
    store
      .write((tx) => {
        const { limits } = config();
        expire(tx, {
          awakeSince,
          hostWaitMs: limits.hostWaitSeconds * 1000,
          // Its host ends a process when the lease is over: program and stragglers get a grace each.
          leaseMs: limits.leaseMinutes * 60_000 + 2 * limits.killGraceSeconds * 1000,
          stopMs: limits.killGraceSeconds * 1000 + REPORT_MS,
        });
      })
      .then(
        () => (problem = null),
        (error: unknown) => {
          const before = problem;
          problem = String(error);
          // Once, not at each look: a disk may be full for hours.
          if (problem !== before) log(`keeper: ${problem}`);
        },
      );
  }, everyMs);
  return () => clearInterval(timer);
}
