import { decode } from './storable-text.ts';

/** Keeps the first and the last bytes of a stream in bounded memory, however it is chunked. */
export class HeadAndTail {
  readonly #headMax: number;
  readonly #tailMax: number;
  #head = Buffer.alloc(0);
  #headBytes = 0;
  /** A ring: made when the head is full, its oldest byte is at `#at` once it has been filled. */
  #ring: Buffer | null = null;
  #at = 0;
  #tailBytes = 0;

  constructor(headMax: number, tailMax: number) {
    this.#headMax = headMax;
    this.#tailMax = tailMax;
  }

  push(chunk: Buffer): void {
    const forHead = Math.min(chunk.length, this.#headMax - this.#headBytes);
    if (forHead > 0) this.#pushHead(chunk.subarray(0, forHead));
    if (forHead < chunk.length) this.#pushTail(chunk.subarray(forHead));
  }

  /** Bytes that are not there any more. */
  get leftOutBytes(): number {
    return Math.max(0, this.#tailBytes - this.#tailMax);
  }

  head(): string {
    return decode(withoutHalfCharacter(this.#head.subarray(0, this.#headBytes)));
  }

  /** From a whole character on where something is left out before it. */
  tail(): string {
    return decode(withoutLeadingRest(this.#tail()));
  }

  text(leftOut: (bytes: number) => string): string {
    if (this.leftOutBytes > 0)
      return `${this.head()}\n${leftOut(this.leftOutBytes)}\n${this.tail()}`;
    return decode(Buffer.concat([this.#head.subarray(0, this.#headBytes), this.#tail()]));
  }

  #pushHead(part: Buffer): void {
    const wanted = this.#headBytes + part.length;
    if (wanted > this.#head.length) {
      const grown = Buffer.alloc(Math.min(this.#headMax, Math.max(wanted, this.#head.length * 2)));
      this.#head.copy(grown, 0, 0, this.#headBytes);
      this.#head = grown;
    }
    part.copy(this.#head, this.#headBytes);
    this.#headBytes = wanted;
  }

  #pushTail(part: Buffer): void {
    const ring = (this.#ring ??= Buffer.alloc(this.#tailMax));
    this.#tailBytes += part.length;
    const kept = part.subarray(Math.max(0, part.length - ring.length));
    const beforeWrap = kept.copy(ring, this.#at);
    kept.copy(ring, 0, beforeWrap);
    this.#at = (this.#at + kept.length) % ring.length;
  }

  #tail(): Buffer {
    if (this.#ring === null) return Buffer.alloc(0);
    if (this.#tailBytes < this.#ring.length) return this.#ring.subarray(0, this.#tailBytes);
    return Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]);
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** A character has at most three bytes after its first. */
function withoutLeadingRest(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function withoutHalfCharacter(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, Math.max(0, start)) : bytes;
}
