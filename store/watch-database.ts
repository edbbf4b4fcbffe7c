/** Sees that the file which is open is no longer the one that has its name: what is written goes nowhere. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const everyMs = 1_000;

export type Lost = 'deleted' | 'replaced';

/** Answers how to stop. Twice in a row, because a home may be about to be deleted as a whole: that is no trouble of ours. */
export function watchDatabase(
  file: string,
  onLost: (how: Lost) => void,
  intervalMs = everyMs,
): () => void {
  const opened = identityOf(file);
  let isMissed = false;
  const timer = setInterval(() => {
    const found = identityOf(file);
    const wasMissed = isMissed;
    isMissed = found !== undefined && found !== opened && existsSync(dirname(file));
    if (!isMissed || !wasMissed) return;
    clearInterval(timer);
    onLost(found === null ? 'deleted' : 'replaced');
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Null where there is no such file; undefined where the disk does not say. */
function identityOf(file: string): string | null | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev} ${found.ino}`;
  } catch {
    return undefined;
  }
}
