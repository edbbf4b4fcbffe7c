/**
 * The reports of one run that the store has not taken yet. In order: the head, what lies on disk
 * beyond it, and the rest, which is in memory alone. So an outage costs disk, and not memory.
 */
import type { Report } from '../../contract/store-api.ts';
import type { Spool } from './spool.ts';

interface Entry {
  report: Report;
  bytes: number;
}

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 1024 * 1024;
/** What is on disk stays in memory, too, up to this much: a short outage needs no reading back. */
const HEAD_BYTES_MAX = 1024 * 1024;

export class Backlog {
  readonly #spool: Spool;
  #head: Entry[] = [];
  #isHeadOnDisk = false;
  /** Up to here the spool is in the head, or was. */
  #readTo = 0;
  #rest: Entry[] = [];
  #memoryBytes = 0;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  push(report: Report): void {
    const entry = entryOf(report);
    this.#rest.push(entry);
    this.#memoryBytes += entry.bytes;
  }

  memoryBytes(): number {
    return this.#memoryBytes;
  }

  isOnDisk(): boolean {
    return this.#rest.length === 0 && (this.#isHeadOnDisk || this.#head.length === 0);
  }

  /** The oldest, as many as one message may hold; none when all were taken. Throws when the disk does. */
  next(): Report[] {
    if (this.#head.length === 0) this.#refill();
    let bytes = 0;
    const end = this.#head.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index >= BATCH_MAX || (index > 0 && bytes > BATCH_BYTES_MAX);
    });
    const batch = end === -1 ? this.#head : this.#head.slice(0, end);
    return batch.map(({ report }) => report);
  }

  /** The first `count` have been taken. */
  drop(count: number): void {
    this.#memoryBytes -= bytesOf(this.#head.splice(0, count));
  }

  /** What is in memory alone goes to the disk. Throws when the disk takes nothing; then it stays. */
  keep(how: { durable: boolean }): void {
    if (this.#head.length > 0 && !this.#isHeadOnDisk) {
      this.#spool.append(reportsOf(this.#head), how);
      this.#isHeadOnDisk = true;
      this.#readTo = this.#spool.bytes();
    }
    if (this.#rest.length === 0) return;
    const isNext = !this.#hasUnread();
    this.#spool.append(reportsOf(this.#rest), how);
    if (isNext && (this.#head.length === 0 || this.#memoryBytes <= HEAD_BYTES_MAX)) {
      this.#head.push(...this.#rest);
      this.#isHeadOnDisk = true;
      this.#readTo = this.#spool.bytes();
    } else this.#memoryBytes -= bytesOf(this.#rest);
    this.#rest = [];
  }

  /** All of it was taken, or is given up. */
  clear(): void {
    [this.#head, this.#rest, this.#memoryBytes] = [[], [], 0];
    this.#readTo = 0;
    this.#spool.remove();
  }

  #refill(): void {
    while (this.#head.length === 0 && this.#hasUnread()) {
      const page = this.#spool.page(this.#readTo);
      if (page === null) throw new Error('reports that were kept on disk are not there any more');
      this.#head = page.reports.map(entryOf);
      this.#memoryBytes += bytesOf(this.#head);
      this.#isHeadOnDisk = true;
      this.#readTo = page.to;
    }
    if (this.#head.length > 0) return;
    [this.#head, this.#rest] = [this.#rest, []];
    this.#isHeadOnDisk = false;
  }

  #hasUnread(): boolean {
    return this.#readTo < this.#spool.bytes();
  }
}

const entryOf = (report: Report): Entry => ({ report, bytes: JSON.stringify(report).length });
const bytesOf = (entries: Entry[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);
const reportsOf = (entries: Entry[]) => entries.map(({ report }) => report);
