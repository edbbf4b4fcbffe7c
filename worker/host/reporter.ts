/** Brings the reports of one run to the store, in order; on disk while the server is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { Report, RunKey } from '../../contract/store-api.ts';
import { isRefusal, isUnknownRun, type StoreApi } from './store-api.ts';
import type { Spool } from './spool.ts';

export interface Reporter {
  /** Resolves at once, or later when the program is to be held back. */
  push(report: UnnumberedReport): Promise<void>;
  /** Resolves when everything has been taken by the store, or refused for good. */
  drained(): Promise<void>;
  /** Resolves when this process may end without losing a report: drained, or all of it on disk. */
  safe(): Promise<void>;
}

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

export function createReporter(deps: ReporterDeps): Reporter {
  const { spool } = deps;
  let n = 0;
  let queue: Entry[] = [];
  let queuedBytes = 0;
  let isAway = false;
  /** All of the queue is in the spool, too. */
  let isOnDisk = false;
  let sending: Promise<void> | null = null;

  function push(unnumbered: UnnumberedReport): Promise<void> {
    n += 1;
    const report = { ...unnumbered, n } as Report;
    const wasOnDisk = isOnDisk;
    const entry = enqueue(report);
    // An ending goes to the disk before it is sent: a host that is killed meanwhile has not lost it.
    if (isAway || report.type !== 'event') keepOnDisk(wasOnDisk ? [entry] : queue, !wasOnDisk);
    sending ??= send();
    return isFull() ? sending : Promise.resolve();
  }

  function enqueue(report: Report): Entry {
    const entry = { report, bytes: JSON.stringify(report).length };
    queue.push(entry);
    queuedBytes += entry.bytes;
    isOnDisk = false;
    return entry;
  }

  const isFull = () =>
    queuedBytes > QUEUE_BYTES_MAX && !(isOnDisk && spool.bytes() <= limits.spoolBytesMax);

  async function send(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch();
      try {
        const reports = batch.map((entry) => entry.report);
        const answer = await deps.api.report({ ...deps.host, ...deps.run, reports });
        drop(batch);
        isAway = false;
        const isEnding = reports.some((report) => report.type !== 'event');
        if (!answer.held && !isEnding) deps.onLost();
      } catch (error) {
        if (isRefusal(error)) giveUp(batch, error);
        else await beAway();
      }
    }
    spool.remove();
    isAway = false;
    isOnDisk = false;
    // In the same step as the last look at the queue: a later report must find nobody sending.
    sending = null;
  }

  function takeBatch(): Entry[] {
    let bytes = 0;
    const end = queue.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index >= BATCH_MAX || (index > 0 && bytes > BATCH_BYTES_MAX);
    });
    return end === -1 ? [...queue] : queue.slice(0, end);
  }

  function drop(batch: Entry[]): void {
    queue = queue.slice(batch.length);
    queuedBytes -= batch.reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** A run must not stay open because its ending was refused: then at least that much is told. */
  function giveUp(batch: Entry[], error: unknown): void {
    deps.log(`reports of ${deps.run.invocationId}/${deps.run.runNo} refused: ${String(error)}`);
    if (isUnknownRun(error)) {
      drop([...queue]);
      deps.onLost();
      return;
    }
    drop(batch);
    const ending = batch.find((entry) => entry.report.type === 'outcome');
    if (!ending) return;
    const why = `its outcome could not be recorded: ${String(error)}`;
    enqueue({ type: 'lost', n: ending.report.n, why, wasStarted: true });
  }

  /** From the first failure on, what waits is on disk as well: a killed host must not lose it. */
  async function beAway(): Promise<void> {
    isAway = true;
    if (!isOnDisk) keepOnDisk(queue, true);
    await sleep(RETRY_MS);
  }

  /** Without room on the disk the reports wait in memory, where only a killed host loses them. */
  function keepOnDisk(entries: Entry[], isWhole: boolean): void {
    try {
      // Half a line of an append that failed must not stand before what comes now.
      if (isWhole) spool.remove();
      spool.append(
        entries.map((entry) => entry.report),
        { durable: isAway },
      );
      isOnDisk = true;
    } catch (error) {
      isOnDisk = false;
      deps.log(`spool of ${deps.run.invocationId}/${deps.run.runNo}: ${String(error)}`);
    }
  }

  return {
    push,
    async drained() {
      while (sending) await sending;
    },
    async safe() {
      while (sending && !(isAway && isOnDisk)) await Promise.race([sending, sleep(RETRY_MS)]);
    },
  };
}
