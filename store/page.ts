/** A page has an end in bytes, too: fifty prompts of 16 MB are no answer anybody can take. */
import { limits } from '../contract/limits.ts';

/** The first entries that fit; always one, so that a page leads on. */
export function withinBytes<T extends { bytes: number }>(
  entries: T[],
  bytesMax: number = limits.pageBytesMax,
): T[] {
  let bytes = 0;
  const end = entries.findIndex((entry, index) => {
    bytes += entry.bytes;
    return index > 0 && bytes > bytesMax;
  });
  return end === -1 ? entries : entries.slice(0, end);
}
