/** Looks from outside, all the time: how long does a record say `running` of what does not live? */
import type { SubAgentRecord } from '../../contract/records.ts';
import { markedProcesses } from '../e2e/crash-fixture.ts';

/** A process that lives shorter than this may never be seen. */
const lookEveryMs = 100;

export function watchRunning(home: string) {
  const started = Date.now();
  const seenAlive = new Map<string, number>();
  const look = () => {
    for (const { invocationId } of markedProcesses(home)) seenAlive.set(invocationId, Date.now());
  };
  const timer = setInterval(look, lookEveryMs);
  const firstRunning = new Map<string, number>();
  let longestMs = 0;
  return {
    /** To be called with the records as they are shown, as often as they are asked for. */
    compare(records: SubAgentRecord[]): void {
      const now = Date.now();
      for (const { id, status } of records) {
        if (status !== 'running') firstRunning.delete(id);
        else if (!firstRunning.has(id)) firstRunning.set(id, now);
        if (status !== 'running') continue;
        const since = Math.max(seenAlive.get(id) ?? started, firstRunning.get(id)!);
        longestMs = Math.max(longestMs, now - since);
      }
    },
    longestMs: () => longestMs,
    stop: () => clearInterval(timer),
  };
}
