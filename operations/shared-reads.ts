/** What many readers are told at the same time is read once: a hundred who follow one agent share its words. */
import { limits } from '../contract/limits.ts';

interface Kept {
  value: object;
  bytes: number;
}

export class SharedReads {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The value under this key, which never changes; `bytes` is about what it takes. */
  get<T extends object>(key: string, bytes: number, read: () => T | undefined): T | undefined {
    const known = this.#kept.get(key);
    const value = known ? (known.value as T) : read();
    if (!value) return undefined;
    // Last in the map is what was asked for last.
    this.#kept.delete(key);
    this.#kept.set(key, known ?? { value, bytes });
    if (!known) this.#bytes += bytes;
    this.#forgetOldest();
    return value;
  }

  #forgetOldest(): void {
    for (const [key, { bytes }] of this.#kept) {
      if (this.#bytes <= limits.sharedReadBytesMax || this.#kept.size === 1) return;
      this.#kept.delete(key);
      this.#bytes -= bytes;
    }
  }
}
