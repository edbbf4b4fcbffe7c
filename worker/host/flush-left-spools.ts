/** Endings that an earlier boot could not bring to the store: brought before this boot says hello. */
import { setTimeout as sleep } from 'node:timers/promises';
import { leftSpools, openSpool, type SpoolKey } from './spool.ts';
import { isRefusal, type StoreApi } from './store-api.ts';

const BATCH = 100;
const RETRY_MS = 250;

export async function flushLeftSpools(
  api: Pick<StoreApi, 'report'>,
  hostId: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  for (const key of leftSpools(folder)) await flush(api, hostId, folder, key, signal);
}

async function flush(
  api: Pick<StoreApi, 'report'>,
  hostId: string,
  folder: string,
  key: SpoolKey,
  signal: AbortSignal,
): Promise<void> {
  const spool = openSpool(folder, key);
  const reports = spool.read();
  for (let at = 0; at < reports.length && !signal.aborted;) {
    try {
      await api.report({ hostId, ...key, reports: reports.slice(at, at + BATCH) });
      at += BATCH;
    } catch (error) {
      // A run that the store does not know any more was deleted, and its reports with it.
      if (isRefusal(error)) break;
      await sleep(RETRY_MS);
    }
  }
  if (!signal.aborted) spool.remove();
}
