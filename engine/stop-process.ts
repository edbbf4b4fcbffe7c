import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, type ProcessId } from './process-identity.ts';

const pollMs = 25;
/** The kernel needs a moment to take a killed process away; a disk that hangs may hold it. */
const killedMsMax = 10_000;

/** What the dev server gets to close its database. */
export const engineStopMs = 10_000;

export type StopResult = 'gone' | 'ended' | 'killed';

/** The signal, then `graceMs`, then SIGKILL. Only ever touches the very process that is named. */
export async function stopProcess(
  id: ProcessId,
  graceMs: number,
  signal: 'SIGTERM' | 'SIGHUP' | 'SIGINT' = 'SIGTERM',
): Promise<StopResult> {
  if (!send(id, signal)) return 'gone';
  if (await hasEnded(id, graceMs)) return 'ended';
  send(id, 'SIGKILL');
  await hasEnded(id, killedMsMax);
  return 'killed';
}

/** Whether it is gone within this time. */
export async function hasEnded(id: ProcessId, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isRunning(id)) {
    if (Date.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/** False when there is nothing to signal any more. */
export function send(id: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isRunning(id)) return false;
  try {
    process.kill(id.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
