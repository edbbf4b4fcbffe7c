/** Looks now and then whether a backup is due. A failure is told, and tried again later. */
import type { Log } from '../contract/log.ts';
import { limits } from '../contract/limits.ts';
import type { Backups } from './backups.ts';

/** A disk that is full, or away, is not better a minute later, and its log line no more useful. */
const AFTER_FAILURE_MS = 15 * 60_000;

export function startSchedule(
  backups: Backups,
  log: Log,
  everyMs: number = limits.backupLookMs,
): () => void {
  let notBefore = 0;
  let isTaking = false;
  const timer = setInterval(() => {
    if (isTaking || performance.now() < notBefore) return;
    isTaking = true;
    look(backups, log)
      .catch((error: Error) => {
        notBefore = performance.now() + AFTER_FAILURE_MS;
        log(`backup: ${error.message}`, { level: 'error' });
      })
      .finally(() => (isTaking = false));
  }, everyMs);
  return () => clearInterval(timer);
}

async function look(backups: Backups, log: Log): Promise<void> {
  if (!backups.isDue()) return;
  const { file, bytes } = await backups.take(null);
  log(`backup: ${file}, ${bytes} bytes, verified`, { level: 'info' });
}
