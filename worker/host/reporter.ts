/** Brings the reports of one run to the store, in order; on disk while the server is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { Report, RunKey } from '../../contract/store-api.ts';
import { isRefusal, isUnknownRun, type StoreApi } from './store-api.ts';
import type { Spool } from './spool.ts';

type Unnumbered<T> = T extends unknown ? Omit<T, 'n'> : never;
export type UnnumberedReport = Unnumbered<Report>;

export interface ReporterDeps {
  api: Pick<StoreApi, 'report'>;
  host: { hostId: string; bootId: string };
  run: RunKey;
  spool: Spool;
  /** The store says that the run is not ours any more. */
  onLost(): void;
  log(message: string): void;
}

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 1024 * 1024;
/** What may wait in memory; more holds the program back until the store has taken some. */
const QUEUE_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_MS = 250;

interface Entry {
  report: Report;
  bytes: number;
}

export class Reporter {
  readonly #deps: ReporterDeps;
  #n = 0;
  #queue: Entry[] = [];
  #queuedBytes = 0;
  #isAway = false;
  /** All of the queue is in the spool, too. */
  #isOnDisk = false;
  #sending: Promise<void> | null = null;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  /** Resolves at once, or later when the program is to be held back. */
  push(unnumbered: UnnumberedReport): Promise<void> {
    this.#n += 1;
    const report: Report = { ...unnumbered, n: this.#n };
    const wasOnDisk = this.#isOnDisk;
    const entry = this.#enqueue(report);
    // An ending goes to the disk before it is sent: a host that is killed meanwhile has not lost it.
    if (this.#isAway || report.type !== 'event') {
      this.#keepOnDisk(wasOnDisk ? [entry] : this.#queue, !wasOnDisk);
    }
    this.#sending ??= this.#send();
    return this.#isFull() ? this.#sending : Promise.resolve();
  }

  /** Resolves when everything has been taken by the store, or refused for good. */
  async drained(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  /** Resolves when this process may end without losing a report: drained, or all of it on disk. */
  async safe(): Promise<void> {
    while (this.#sending && !(this.#isAway && this.#isOnDisk)) {
      await Promise.race([this.#sending, sleep(RETRY_MS)]);
    }
  }

  #enqueue(report: Report): Entry {
    const entry = { report, bytes: JSON.stringify(report).length };
    this.#queue.push(entry);
    this.#queuedBytes += entry.bytes;
    this.#isOnDisk = false;
    return entry;
  }

  #isFull(): boolean {
    const hasRoom = this.#isOnDisk && this.#deps.spool.bytes() <= limits.spoolBytesMax;
    return this.#queuedBytes > QUEUE_BYTES_MAX && !hasRoom;
  }

  async #send(): Promise<void> {
    const { api, host, run, onLost } = this.#deps;
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      try {
        const reports = batch.map((entry) => entry.report);
        const answer = await api.report({ ...host, ...run, reports });
        this.#drop(batch);
        this.#isAway = false;
        const isEnding = reports.some((report) => report.type !== 'event');
        if (!answer.held && !isEnding) onLost();
      } catch (error) {
        if (isRefusal(error)) this.#giveUp(batch, error);
        else await this.#beAway();
      }
    }
    this.#forget();
    this.#isAway = false;
    this.#isOnDisk = false;
    // In the same step as the last look at the queue: a later report must find nobody sending.
    this.#sending = null;
  }

  #takeBatch(): Entry[] {
    let bytes = 0;
    const end = this.#queue.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index >= BATCH_MAX || (index > 0 && bytes > BATCH_BYTES_MAX);
    });
    return end === -1 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  #drop(batch: Entry[]): void {
    this.#queue = this.#queue.slice(batch.length);
    this.#queuedBytes -= batch.reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** A run must not stay open because its ending was refused: then at least that much is told. */
  #giveUp(batch: Entry[], error: unknown): void {
    const { run, log, onLost } = this.#deps;
    log(`reports of ${run.invocationId}/${run.runNo} refused: ${String(error)}`);
    if (isUnknownRun(error)) {
      this.#drop([...this.#queue]);
      onLost();
      return;
    }
    this.#drop(batch);
    const ending = batch.find((entry) => entry.report.type === 'outcome');
    if (!ending) return;
    const why = `its outcome could not be recorded: ${String(error)}`;
    this.#enqueue({ type: 'lost', n: ending.report.n, why, wasStarted: true });
  }

  /** From the first failure on, what waits is on disk as well: a killed host must not lose it. */
  async #beAway(): Promise<void> {
    this.#isAway = true;
    if (!this.#isOnDisk) this.#keepOnDisk(this.#queue, true);
    await sleep(RETRY_MS);
  }

  /** What stays on disk although it was taken is sent again by the next boot, and adds nothing. */
  #forget(): void {
    const { run, spool, log } = this.#deps;
    try {
      spool.remove();
    } catch (error) {
      log(`spool of ${run.invocationId}/${run.runNo}: ${String(error)}`);
    }
  }

  /** Without room on the disk the reports wait in memory, where only a killed host loses them. */
  #keepOnDisk(entries: Entry[], isWhole: boolean): void {
    const { run, spool, log } = this.#deps;
    const reports = entries.map((entry) => entry.report);
    try {
      // Half a line of an append that failed must not stand before what comes now.
      if (isWhole) spool.remove();
      spool.append(reports, { durable: this.#isAway });
      this.#isOnDisk = true;
    } catch (error) {
      this.#isOnDisk = false;
      log(`spool of ${run.invocationId}/${run.runNo}: ${String(error)}`);
    }
  }
}
