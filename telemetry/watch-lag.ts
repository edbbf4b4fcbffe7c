/** How late the event loop is: what a request waits before anybody looks at it. */
import { createHistogram, type Family } from './instruments.ts';

/** Ten looks a second cost nothing that can be measured, and see every stall that a caller can feel. */
const lookEveryMs = 100;

export function watchLag(bounds: readonly number[]): { read(): Family; stop(): void } {
  const lag = createHistogram(
    'offshoot_event_loop_lag_seconds',
    'How much later than asked for a timer of the server went off.',
    bounds,
  );
  let due = performance.now() + lookEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    lag.observe({}, Math.max(0, now - due) / 1000);
    due = now + lookEveryMs;
  }, lookEveryMs);
  timer.unref();
  return { read: lag.read, stop: () => clearInterval(timer) };
}
