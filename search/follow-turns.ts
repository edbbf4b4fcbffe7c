/** Tells of new turns, some at once: in batches, a turn costs the index a quarter of what it costs alone. */
import type { Changes } from '../store/changes.ts';

const turnsTogether = 50;
const togetherMs = 250;

export function followTurns(changes: Changes, tell: () => void): () => void {
  let turns = 0;
  let timer: NodeJS.Timeout | null = null;
  function now(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    turns = 0;
    tell();
  }
  const unlisten = changes.listen((change) => {
    if (change.kind !== 'turn') return;
    turns += 1;
    if (turns >= turnsTogether) now();
    else timer ??= setTimeout(now, togetherMs).unref();
  });
  return () => {
    if (timer !== null) clearTimeout(timer);
    unlisten();
  };
}
