/** The work of the search thread: steps of indexing, and searches between them. */
import type { FromThread, ToThread } from './messages.ts';
import type { Searcher } from './searcher.ts';

const aliveMs = 1_000;

/** Answers what to call with each message. One step at a time, so that none waits for a whole rebuild to be heard. */
export function serve(
  open: (trouble: (error: unknown) => void) => Searcher,
  tell: (message: FromThread) => void,
): (message: ToThread) => void {
  let searcher: Searcher | null = null;
  const waiting: Extract<ToThread, { kind: 'search' }>[] = [];
  let isAtWork = false;
  let isEnded = false;
  let seen = 0;
  let toldAt = 0;

  function work(): void {
    isAtWork = false;
    if (isEnded) return;
    try {
      searcher ??= open((error) => tell({ kind: 'trouble', message: messageOf(error) }));
      const isMore = searcher.step();
      if (!searcher.isWhole()) return goOn();
      // All that was committed before they asked is in the index now.
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        tell({ kind: 'hits', id: next.id, hits: searcher.search(next.request) });
        waiting.shift();
      }
      if (searcher.changesSeen() > seen) {
        seen = searcher.changesSeen();
        tell({ kind: 'seen', changes: seen });
      }
      if (isMore) goOn();
    } catch (error) {
      fail(error);
    }
  }

  function goOn(): void {
    const now = performance.now();
    if (now - toldAt > aliveMs) {
      toldAt = now;
      tell({ kind: 'alive' });
    }
    begin();
  }

  function begin(): void {
    if (isAtWork) return;
    isAtWork = true;
    setImmediate(work);
  }

  /** Opened anew for the next one who asks: a disk may be full for an hour. */
  function fail(error: unknown): void {
    const message = messageOf(error);
    for (const { id } of waiting.splice(0)) tell({ kind: 'failed', id, message });
    tell({ kind: 'trouble', message });
    try {
      searcher?.close();
    } catch {
      // It could not be used: that it cannot be closed either changes nothing.
    }
    searcher = null;
  }

  return (message) => {
    if (message.kind === 'end') {
      isEnded = true;
      waiting.length = 0;
      searcher?.close();
      searcher = null;
      return;
    }
    if (message.kind === 'search') waiting.push(message);
    begin();
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
