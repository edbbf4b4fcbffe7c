/**
 * What is remembered of a transcript instead of its bytes: a hash chained over its blocks. A longer one is
 * known to go on from it after one pass over its bytes, or, where those before the last block are trusted,
 * after the last block alone.
 */
import { createHash } from 'node:crypto';

export interface Chain {
  /** So many bytes are known. */
  bytes: number;
  /** Over all whole blocks before the last, each with the hash before it. */
  blocks: string;
  /** Of the last block, as far as it goes. */
  last: string;
}

/** Small, as it is read again with every suffix; large, as each block costs a call. */
const BLOCK_BYTES = 16 * 1024;

/** Where the last block begins; it is never empty, so that there is something to be looked at. */
export function lastBlockStart(bytes: number): number {
  return Math.max(0, Math.ceil(bytes / BLOCK_BYTES) - 1) * BLOCK_BYTES;
}

export interface Followed {
  /** Whether what was known stands there unchanged. */
  isKnown: boolean;
  chain: Chain;
}

/**
 * Hashes `content`, whose first byte is at `start` of the transcript: its beginning, or the last block of
 * `known`, and then what is before that is taken on trust.
 */
export function followChain(content: Buffer, known: Chain | null, start = 0): Followed {
  const end = start + content.length;
  const knownLast = known === null || known.bytes > end ? -1 : lastBlockStart(known.bytes);
  const stop = lastBlockStart(end);
  let blocks = start === 0 ? '' : known!.blocks;
  let isKnown = false;
  for (let at = start; at <= stop; at += BLOCK_BYTES) {
    if (at === knownLast) {
      isKnown =
        blocks === known!.blocks &&
        hash('', content.subarray(at - start, known!.bytes - start)) === known!.last;
    }
    if (at < stop) blocks = hash(blocks, content.subarray(at - start, at - start + BLOCK_BYTES));
  }
  const last = hash('', content.subarray(stop - start));
  return { isKnown, chain: { bytes: end, blocks, last } };
}

function hash(before: string, block: Buffer): string {
  return createHash('sha256').update(before).update(block).digest('base64url');
}
