/** Server-sent events from an iterator, pulled: a slow reader makes the source wait, not memory grow. */
import type { WatchItem } from './deps.ts';

/** The data of one item as it goes out: what is told to many is put into JSON once. */
export type EncodeData = (data: object) => Uint8Array;

export function createDataEncoder(): EncodeData {
  const known = new WeakMap<object, Uint8Array>();
  return (data) => {
    const bytes = known.get(data) ?? encode(dataLine(data));
    known.set(data, bytes);
    return bytes;
  };
}

export interface EventStreamOptions {
  encodeData: EncodeData;
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
          if (!result.done) return enqueueItem(controller, result.value, options.encodeData);
        } catch (error) {
          const told = dataLine(options.onFailure(error));
          controller.enqueue(encode(`event: problem\n${told}`));
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

function enqueueItem(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { id, event, data }: WatchItem,
  encodeData: EncodeData,
): void {
  controller.enqueue(encode(`id: ${id}\nevent: ${event}\n`));
  controller.enqueue(encodeData(data));
}

/** JSON has no raw line breaks, so one `data:` line is always enough. */
function dataLine(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
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
