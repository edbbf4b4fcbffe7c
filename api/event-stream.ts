/** Server-sent events from an iterator, pulled: a slow reader makes the source wait, not memory grow. */
import type { WatchItem } from './deps.ts';

export interface EventStreamOptions {
  heartbeatMs: number;
  /** Called once, when the reader has left or the source is done. */
  onClose: () => void;
  /** What to tell the reader when the source fails. */
  onFailure: (error: unknown) => unknown;
}

/** Proxies and clients drop silent connections after half a minute or more. */
export const heartbeatMs = 15_000;

/** A client that lost the stream comes back after this long. */
const reconnectMs = 1000;

export function eventStream(
  items: AsyncIterable<WatchItem>,
  options: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const iterator = items[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<WatchItem>> | null = null;
  let opened = false;
  return new ReadableStream(
    {
      async pull(controller) {
        // Said at once, so that the reader has its headers before the first turn.
        if (!opened) {
          opened = true;
          return controller.enqueue(encode(`retry: ${reconnectMs}\n\n`));
        }
        try {
          // One question to the source at a time; a heartbeat leaves it standing.
          next ??= iterator.next();
          const result = await orHeartbeat(next, options.heartbeatMs);
          if (result === null) return controller.enqueue(encode(': still here\n\n'));
          next = null;
          if (!result.done) return controller.enqueue(encode(frame(result.value)));
        } catch (error) {
          controller.enqueue(encode(eventLines('problem', options.onFailure(error))));
        }
        options.onClose();
        controller.close();
      },
      async cancel() {
        // First the signal: an iterator that waits for the next turn cannot return before that.
        options.onClose();
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}

function frame(item: WatchItem): string {
  return `id: ${item.id}\n${eventLines(item.event, item.data)}`;
}

/** JSON has no raw line breaks, so one `data:` line is always enough. */
function eventLines(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function orHeartbeat<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const beat = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return await Promise.race([promise, beat]);
  } finally {
    clearTimeout(timer);
  }
}
