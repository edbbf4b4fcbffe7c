/**
 * Tells of new turns, some at once: one by one a turn costs the index four times what it costs among fifty. Who
 * searches waits for none of this: what is missing is put in first.
 */
import type { Changes } from '../store/changes.ts';

const turnsTogether = 50;
/** What a search may find still to be done: some milliseconds. */
const charsTogether = 128 * 1024;
const togetherMs = 30_000;

export function followTurns(changes: Changes, tell: () => void): () => void {
  let turns = 0;
  let chars = 0;
  let timer: NodeJS.Timeout | null = null;

  function forget(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    turns = 0;
    chars = 0;
  }

  function now(): void {
    forget();
    tell();
  }

  const unlisten = changes.listen((change) => {
    // What was deleted is to leave the index, too.
    if (change.kind !== 'turn' && change.kind !== 'moved') return;
    if (change.kind === 'turn') {
      turns += change.turns;
      chars += change.chars;
    }
    if (turns >= turnsTogether || chars >= charsTogether) now();
    else timer ??= setTimeout(now, togetherMs).unref();
  });
  return () => {
    forget();
    unlisten();
  };
}
