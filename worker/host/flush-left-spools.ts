/** Endings that an earlier boot could not bring to the store: brought before this boot says hello. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { AppError } from '../../contract/errors.ts';
import type { Report } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { leftSpools, openSpool, type SpoolKey } from './spool.ts';
import { isRefusal, type StoreApi } from './store-api.ts';

export interface FlushDeps {
  api: Pick<StoreApi, 'report'>;
  hostId: string;
  /** Where the spools lie. */
  folder: string;
  signal: AbortSignal;
  log: Log;
}

const BATCH = 50;
const RETRY_MS = 250;
/** A report at which the server fails each time must not keep this host from starting. */
const FAULTS_MAX = 20;

export async function flushLeftSpools(deps: FlushDeps): Promise<void> {
  for (const key of leftSpools(deps.folder)) await flush(deps, key);
}

async function flush(deps: FlushDeps, key: SpoolKey): Promise<void> {
  const { log, folder, signal } = deps;
  const spool = openSpool(folder, key);
  try {
    for (let page = spool.page(0); page !== null && !signal.aborted; page = spool.page(page.to)) {
      await bring(deps, key, page.reports);
    }
  } catch (error) {
    log(`what was left of ${key.invocationId}/${key.runNo} is dropped: ${String(error)}`, {
      invocation: key.invocationId,
      run: key.runNo,
    });
  }
  reach('left spool sent');
  if (!signal.aborted) spool.remove();
}

/** Until all of it was taken. Throws when it never will be. */
async function bring(deps: FlushDeps, key: SpoolKey, reports: Report[]): Promise<void> {
  const { api, hostId, signal } = deps;
  let faults = 0;
  for (let at = 0; at < reports.length && !signal.aborted;) {
    try {
      await api.report({ hostId, ...key, reports: reports.slice(at, at + BATCH) });
      at += BATCH;
    } catch (error) {
      if (error instanceof AppError && error.code === 'internal') faults += 1;
      // A run that the store does not know any more was deleted, and its reports with it.
      if (isRefusal(error) || faults > FAULTS_MAX) throw error;
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
