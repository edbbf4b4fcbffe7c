/** Brings the reports of one run to the store, in order; on disk while the server is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { Report, RunKey } from '../../contract/store-api.ts';
import { isRefusal, type StoreApi } from './store-api.ts';
import type { Spool } from './spool.ts';

export interface Reporter {
  /** Resolves at once, or later when the program is to be held back. */
  push(report: UnnumberedReport): Promise<void>;
  /** Resolves when everything has been taken by the store, or refused for good. */
  drained(): Promise<void>;
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
}

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 1024 * 1024;
/** What may wait in memory; more holds the program back until the store has taken some. */
const QUEUE_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_MS = 250;

export function createReporter(deps: ReporterDeps): Reporter {
  let n = 0;
  let queue: { report: Report; bytes: number }[] = [];
  let queuedBytes = 0;
  let isAway = false;
  let sending: Promise<void> | null = null;

  function push(report: UnnumberedReport): Promise<void> {
    n += 1;
    const numbered = { ...report, n } as Report;
    const bytes = JSON.stringify(numbered).length;
    if (isAway) deps.spool.append([numbered]);
    queue.push({ report: numbered, bytes });
    queuedBytes += bytes;
    sending ??= send().finally(() => (sending = null));
    return isFull() ? sending : Promise.resolve();
  }

  const isFull = () =>
    queuedBytes > QUEUE_BYTES_MAX && (!isAway || deps.spool.bytes() > limits.spoolBytesMax);

  async function send(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch();
      try {
        const answer = await deps.api.report({
          ...deps.host,
          ...deps.run,
          reports: batch.map((entry) => entry.report),
        });
        drop(batch);
        const isEnding = batch.some((entry) => entry.report.type !== 'event');
        if (!answer.held && !isEnding) deps.onLost();
      } catch (error) {
        if (isRefusal(error)) {
          drop(queue);
          deps.onLost();
          break;
        }
        keepOnDisk();
        await sleep(RETRY_MS);
      }
    }
    deps.spool.remove();
    isAway = false;
  }

  function takeBatch() {
    let bytes = 0;
    const end = queue.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index >= BATCH_MAX || (index > 0 && bytes > BATCH_BYTES_MAX);
    });
    return end === -1 ? [...queue] : queue.slice(0, end);
  }

  function drop(batch: { bytes: number }[]): void {
    queue = queue.slice(batch.length);
    queuedBytes -= batch.reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** From the first failure on, what waits is on disk as well: a killed host must not lose it. */
  function keepOnDisk(): void {
    if (isAway) return;
    isAway = true;
    deps.spool.append(queue.map((entry) => entry.report));
  }

  return {
    push,
    async drained() {
      while (sending) await sending;
    },
  };
}
