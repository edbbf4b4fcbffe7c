/** Endings that an earlier boot could not bring to the store: brought before this boot says hello. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import { leftSpools, openSpool, type SpoolKey } from './spool.ts';
import { isRefusal, type StoreApi } from './store-api.ts';

export interface FlushDeps {
  api: Pick<StoreApi, 'report'>;
  hostId: string;
  /** Where the spools lie. */
  folder: string;
  signal: AbortSignal;
  log(message: string): void;
}

const BATCH = 50;
const RETRY_MS = 250;
/** A report at which the server fails each time must not keep this host from starting. */
const FAULTS_MAX = 20;

export async function flushLeftSpools(deps: FlushDeps): Promise<void> {
  for (const key of leftSpools(deps.folder)) await flush(deps, key);
}

async function flush(deps: FlushDeps, key: SpoolKey): Promise<void> {
  const { api, hostId, folder, signal } = deps;
  const spool = openSpool(folder, key);
  const reports = spool.read();
  let faults = 0;
  for (let at = 0; at < reports.length && !signal.aborted;) {
    try {
      await api.report({ hostId, ...key, reports: reports.slice(at, at + BATCH) });
      at += BATCH;
    } catch (error) {
      if (error instanceof AppError && error.code === 'internal') faults += 1;
      // A run that the store does not know any more was deleted, and its reports with it.
      if (isRefusal(error) || faults > FAULTS_MAX) {
        deps.log(`what was left of ${key.invocationId}/${key.runNo} is dropped: ${String(error)}`);
        break;
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
  if (!signal.aborted) spool.remove();
}
