/**
 * The bytes of a transcript. Nearly all of them are looked at only to see that they are known: a text of
 * megabytes becomes bytes piece by piece, in one small buffer.
 */
export interface TranscriptBytes {
  /** In order, `size` each; the last has what is left. A block is good until the next is asked for. */
  blocks(size: number): Iterable<{ block: Buffer; isLast: boolean }>;
  /** From this one to the end. */
  from(at: number): Buffer;
}

export function bytesOfBuffer(content: Buffer): TranscriptBytes {
  return {
    *blocks(size) {
      let at = 0;
      for (; at + size < content.length; at += size) {
        yield { block: content.subarray(at, at + size), isLast: false };
      }
      yield { block: content.subarray(at), isLast: true };
    },
    from: (at) => content.subarray(at),
  };
}

/** The most bytes that one character has. */
const CHAR_BYTES_MAX = 4;

export function bytesOfText(text: string): TranscriptBytes {
  const encoder = new TextEncoder();
  /** Where in the text the bytes from here on begin; the first is its beginning. */
  const places = [{ byte: 0, char: 0 }];
  return {
    *blocks(size) {
      const buffer = Buffer.alloc(size + CHAR_BYTES_MAX);
      places.length = 1;
      let { byte, char } = places[0]!;
      for (let filled = 0; ;) {
        // One more than could have room, so that no pair of surrogates ends the piece in its middle.
        const piece = text.slice(char, char + buffer.length + 1);
        const { read, written } = encoder.encodeInto(piece, buffer.subarray(filled));
        char += read;
        byte += written;
        filled += written;
        if (char === text.length && filled <= size) {
          return yield { block: buffer.subarray(0, filled), isLast: true };
        }
        if (filled < size) continue;
        places.push({ byte, char });
        yield { block: buffer.subarray(0, size), isLast: false };
        buffer.copyWithin(0, size, filled);
        filled -= size;
      }
    },
    from(at) {
      const place = places.findLast(({ byte }) => byte <= at)!;
      return Buffer.from(text.slice(place.char)).subarray(at - place.byte);
    },
  };
}
