import type { SyncAnswer, SyncRequest } from '../../contract/store-api.ts';
import { localHostId } from '../../contract/names.ts';
import { admitNext } from '../../store/admission.ts';
import { isFinal } from '../../contract/words.ts';
import { reach } from '../../faults/reach.ts';
import { touchHost } from '../../store/hosts.ts';
import { findInvocation } from '../../store/invocations.ts';
import { requireBoot } from '../../store/lifecycle/claim.ts';
import type { RunRow } from '../../store/lifecycle/claim.ts';
import { loseUnknownRuns } from '../../store/lifecycle/lose.ts';
import type { Deps } from '../deps.ts';
import { engineAddress } from './engine-address.ts';

/** Presence, and what the host is to stop: at once if there is anything, else when there is. */
export async function sync(
  deps: Deps,
  gone: AbortSignal,
  request: SyncRequest,
): Promise<SyncAnswer> {
  await deps.store.write((tx) => {
    requireBoot(tx, request);
    touchHost(tx, request.hostId, request.draining);
    loseUnknownRuns(tx, request);
    // It may have been away: then this is when its slots are there again.
    admitNext(tx);
  });
  let orders = ordersFor(deps, request);
  if (orders.stop.length + orders.start.length === 0) {
    await nextOrders(deps, gone, request);
    orders = ordersFor(deps, request);
  }
  if (orders.stop.length > 0) reach('orders given');
  return { ...orders, temporal: engineAddress(deps) };
}

function ordersFor(deps: Deps, request: SyncRequest): Pick<SyncAnswer, 'stop' | 'start'> {
  return { stop: toStop(deps, request), start: request.draining ? [] : toStart(deps, request) };
}

/**
 * What was given to a host elsewhere, and whose workflow has begun. Also a run of this very boot that it
 * does not know of: the answer to its claim went astray, and claiming again tells it so.
 */
function toStart(deps: Deps, request: SyncRequest): string[] {
  if (request.hostId === localHostId) return [];
  return deps.store.db
    .all<{ id: string; run_no: number | null }>(
      `SELECT s.id, r.run_no FROM subagent_sessions s
       LEFT JOIN runs r ON r.invocation_id = s.id AND r.state = 'live'
       WHERE s.host_id = :hostId AND s.engine_state = 'open' AND s.cancel_requested_at IS NULL
         AND (r.run_no IS NULL OR r.boot_id = :bootId)
       ORDER BY s.ordinal`,
      { hostId: request.hostId, bootId: request.bootId },
    )
    .filter(
      ({ id, run_no: runNo }) =>
        !request.runs.some((run) => run.invocationId === id && run.runNo === runNo),
    )
    .map(({ id }) => id);
}

function toStop(deps: Deps, request: SyncRequest): SyncAnswer['stop'] {
  return request.runs.flatMap<SyncAnswer['stop'][number]>(({ invocationId, runNo }) => {
    const row = findInvocation(deps.store.db, invocationId);
    const run = deps.store.db.get<RunRow>(
      'SELECT * FROM runs WHERE invocation_id = :invocationId AND run_no = :runNo',
      { invocationId, runNo },
    );
    const holds =
      row && !isFinal(row.status) && run?.state === 'live' && run.boot_id === request.bootId;
    if (!holds) return [{ invocationId, runNo, reason: 'not_yours' }];
    if (row.cancel_requested_at === null) return [];
    return [{ invocationId, runNo, reason: 'cancelled' }];
  });
}

async function nextOrders(deps: Deps, gone: AbortSignal, request: SyncRequest): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, request.waitSeconds * 1000);
    const stopListening = deps.store.changes.listen((change) => {
      if (change.kind === 'orders' && change.hostId === request.hostId) finish();
    });
    gone.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      stopListening();
      gone.removeEventListener('abort', finish);
      resolve();
    }
  });
}
