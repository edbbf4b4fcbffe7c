/**
 * What is remembered of a transcript instead of its bytes: a hash chained over its blocks. A longer one is
 * known to go on from it after one pass over its bytes, or, where those before the last block are trusted,
 * after the last block alone.
 */
import { createHash } from 'node:crypto';
import type { TranscriptBytes } from './transcript-bytes.ts';

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
export function followChain(content: TranscriptBytes, known: Chain | null, start = 0): Followed {
  const knownLast = known === null ? -1 : lastBlockStart(known.bytes);
  let at = start;
  let blocks = start === 0 ? '' : known!.blocks;
  let last = '';
  let isKnown = false;
  for (const { block, isLast } of content.blocks(BLOCK_BYTES)) {
    if (at === knownLast && at + block.length >= known!.bytes) {
      isKnown =
        blocks === known!.blocks && hash('', block.subarray(0, known!.bytes - at)) === known!.last;
    }
    if (isLast) last = hash('', block);
    else blocks = hash(blocks, block);
    at += block.length;
  }
  return { isKnown, chain: { bytes: at, blocks, last } };
}

function hash(before: string, block: Buffer): string {
  return createHash('sha256').update(before).update(block).digest('base64url');
}
