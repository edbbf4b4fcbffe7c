/** Ends a running program: the whole group is asked, then, after the grace, forced. `look` comes before either. */
import { setTimeout as sleep } from 'node:timers/promises';
import { reach } from '../faults/reach.ts';

export async function stopGroup(
  pid: number,
  exited: Promise<unknown>,
  { graceMs, look }: { graceMs: number; look(): Promise<void> },
): Promise<void> {
  await look().catch(unseen);
  signalGroup(pid, 'SIGTERM');
  reach('stop signalled');
  const grace = new AbortController();
  const isOver = await Promise.race([
    exited.then(() => true),
    sleep(graceMs, false, { signal: grace.signal }).catch(() => true),
  ]);
  grace.abort();
  // What is left of the group when its leader has ended is the sweep's.
  if (isOver) return;
  await look().catch(unseen);
  signalGroup(pid, 'SIGKILL');
}

/** What cannot be looked at must not keep the signal back. */
const unseen = () => {};

function signalGroup(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The group has just ended by itself.
  }
}
