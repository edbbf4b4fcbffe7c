/** Sees that the file which is open is no longer the one that has its name: what is written goes nowhere. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const everyMs = 1_000;

export type Lost = 'deleted' | 'replaced';

/**
 * Answers how to stop. A home that is deleted or replaced as a whole is the launcher's to see; as that may be
 * about to happen, a look is trusted when the next one says the same.
 */
export function watchDatabase(
  file: string,
  onLost: (how: Lost) => void,
  intervalMs = everyMs,
): () => void {
  const [opened, home] = [identityOf(file), identityOf(dirname(file))];
  let isMissed = false;
  const timer = setInterval(() => {
    const found = identityOf(file);
    const wasMissed = isMissed;
    isMissed = found !== undefined && found !== opened && identityOf(dirname(file)) === home;
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
