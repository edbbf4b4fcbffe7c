/** Endings that an earlier boot could not bring to the store: brought before this boot says hello. */
import type { Report } from '../../contract/store-api.ts';
import { AppError } from '../../contract/errors.ts';
import { reach } from '../../faults/reach.ts';
import { insist, type InsistDeps } from './insist.ts';
import { leftSpools, openSpool, type SpoolKey } from './spool.ts';
import { isRefusal, isTurnedAway, type StoreApi } from './store-api.ts';

export interface FlushDeps extends InsistDeps {
  api: Pick<StoreApi, 'report'>;
  hostId: string;
  /** Where the spools lie. */
  folder: string;
}

const BATCH = 50;
/** A report at which the server fails each time must not keep this host from starting. */
const FAULTS_MAX = 50;

/** Throws where this host's token is refused and somebody waits to hear that: nothing is removed then. */
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
    if (isTurnedAway(error)) throw error;
    // What cannot be read, or fails inside the server, may pass: told late it is kept all the same.
    const fate = isRefusal(error) ? 'dropped' : 'left on disk for the next start';
    log(`what was left of ${key.invocationId}/${key.runNo} is ${fate}: ${String(error)}`, {
      invocation: key.invocationId,
      run: key.runNo,
    });
    if (!isRefusal(error)) return;
  }
  reach('left spool sent');
  if (!signal.aborted) spool.remove();
}

/** Until all of it was taken. Throws when it never will be. */
async function bring(deps: FlushDeps, key: SpoolKey, all: Report[]): Promise<void> {
  const { api, hostId, signal } = deps;
  const what = `what was left of ${key.invocationId}/${key.runNo}`;
  for (let at = 0; at < all.length && !signal.aborted; at += BATCH) {
    const reports = all.slice(at, at + BATCH);
    let faults = 0;
    // A run that the store does not know any more was deleted, and its reports with it.
    const isHopeless = (error: unknown) => {
      if (error instanceof AppError && error.code === 'internal') faults += 1;
      return isRefusal(error) || faults > FAULTS_MAX;
    };
    const send = async () => void (await api.report({ hostId, ...key, reports }));
    await insist(what, send, deps, isHopeless);
  }
}
