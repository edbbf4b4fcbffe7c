/** Turns what a program writes into events as it comes: bounded, never splitting a character. */
import type { Readable } from 'node:stream';
import { limits } from '../contract/limits.ts';
import type { RunEvent } from '../contract/run.ts';
import { storable } from './storable-text.ts';

export interface OutputReader {
  /** Settles when the stream has ended and its last event has been taken. Never rejects. */
  ended: Promise<void>;
  /** Bytes that came after the limit: read, so that the program is not blocked, and not kept. */
  droppedBytes(): number;
  /** How long reading has been held back by a slow receiver, in all. */
  heldMs(): number;
}

export interface OutputOptions {
  name: 'stdout' | 'stderr';
  onBytes(chunk: Buffer): void;
  onEvent(event: RunEvent): void | Promise<void>;
  /** The receiver has failed: nothing more is sent to it. */
  onFailure(error: unknown): void;
}

export function readOutput(stream: Readable, options: OutputOptions): OutputReader {
  // The decoder keeps the bytes of a character that is not complete yet. A byte-order mark is text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let roomBytes: number = limits.outputBytesMax;
  let droppedBytes = 0;
  let hasFailed = false;
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> = Promise.resolve();
  let sendingSince: number | null = null;
  let heldMs = 0;

  const keep = (chunk: Buffer) => {
    const kept = chunk.subarray(0, roomBytes);
    roomBytes -= kept.length;
    droppedBytes += chunk.length - kept.length;
    if (kept.length === 0) return;
    pending.push(kept);
    pendingBytes += kept.length;
  };

  const send = async (text: string) => {
    if (text === '' || hasFailed) return;
    sendingSince = Date.now();
    try {
      const at = new Date().toISOString();
      await options.onEvent({ stream: options.name, text: storable(text), at });
    } catch (error) {
      hasFailed = true;
      options.onFailure(error);
    }
    heldMs += Date.now() - sendingSince;
    sendingSince = null;
  };

  /** Full events only, or all that there is. What is taken is taken before the first await. */
  const sendPending = async (what: 'full' | 'all') => {
    const taken = pieces(Buffer.concat(pending));
    const rest = what === 'full' ? taken.pop() : undefined;
    pending = rest === undefined ? [] : [rest];
    pendingBytes = rest?.length ?? 0;
    for (const piece of taken) await send(decoder.decode(piece, { stream: true }));
  };

  /** One after the other, whether the clock or the size asked for it. */
  const flush = (what: 'full' | 'all') => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    sending = sending.then(() => sendPending(what));
    return sending;
  };

  const read = async () => {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        options.onBytes(chunk);
        keep(chunk);
        // While a receiver is busy nothing more is read: the program waits, not our memory.
        await (pendingBytes >= limits.outputTurnBytesMax ? flush('full') : sending);
        if (pendingBytes > 0) timer ??= setTimeout(() => void flush('all'), limits.outputTurnMs);
      }
    } catch {
      // The stream was closed under us, as when a grandchild keeps it open. What came is kept.
    }
    await flush('all');
    // Half a character at the end is shown as U+FFFD, unless it was our limit that cut it.
    if (droppedBytes === 0) await send(decoder.decode());
  };

  return {
    ended: read(),
    droppedBytes: () => droppedBytes,
    heldMs: () => heldMs + (sendingSince === null ? 0 : Date.now() - sendingSince),
  };
}

/** Of an event's size at most, cut after a line where one ends in the second half. */
function pieces(bytes: Buffer): Buffer[] {
  const most = limits.outputTurnBytesMax;
  const cut: Buffer[] = [];
  let from = 0;
  while (bytes.length - from > most) {
    const lineEnd = bytes.lastIndexOf(0x0a, from + most - 1) + 1;
    const to = lineEnd > from + most / 2 ? lineEnd : from + most;
    cut.push(bytes.subarray(from, to));
    from = to;
  }
  return [...cut, bytes.subarray(from)];
}

/** Said once at the end of a run whose output was more than is kept. */
export function droppedMark(dropped: { stdout: number; stderr: number }): RunEvent | null {
  const parts = Object.entries(dropped)
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${bytes} bytes of ${name}`);
  if (parts.length === 0) return null;
  const text = `${parts.join(' and ')} were dropped: a run keeps the first ${limits.outputBytesMax} bytes of each stream`;
  return { stream: 'mark', text, at: new Date().toISOString() };
}
