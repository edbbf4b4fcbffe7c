import type { SyncAnswer, SyncRequest } from '../../contract/store-api.ts';
import { admitNext, takeBackUnclaimed } from '../../store/admission.ts';
import { reach } from '../../faults/reach.ts';
import { findHost, inContactSince, touchHost } from '../../store/hosts.ts';
import { requireBoot } from '../../store/lifecycle/claim.ts';
import { loseUnknownRuns } from '../../store/lifecycle/lose.ts';
import type { Deps } from '../deps.ts';
import { engineAddress } from './engine-address.ts';
import { ordersFor, type Orders } from './orders.ts';

/** A host that is told something polls again at once: what its presence brings about is not due each time. */
const TOUCH_MS = 1000;

/** Presence, and what the host is to begin and to stop: at once if there is anything, else when there is. */
export async function sync(
  deps: Deps,
  gone: AbortSignal,
  request: SyncRequest,
): Promise<SyncAnswer> {
  await notePresence(deps, request);
  let orders = ordersFor(deps, request);
  if (isNone(orders)) {
    await untilNews(deps, gone, request);
    orders = ordersFor(deps, request);
  }
  if (orders.start.length > 0) reach('start ordered');
  if (orders.stop.length > 0) reach('orders given');
  return { ...orders, temporal: engineAddress(deps) };
}

async function notePresence({ store }: Deps, request: SyncRequest): Promise<void> {
  const host = findHost(store.db, request.hostId);
  const isNoted =
    host?.boot_id === request.bootId &&
    host.draining === (request.draining ? 1 : 0) &&
    // A clock that was set back leaves a time to come, at which nobody has spoken.
    Math.abs(Date.parse(store.now()) - Date.parse(host.last_seen_at)) < TOUCH_MS;
  if (isNoted) return;
  const since = await store.write((tx) => {
    requireBoot(tx, request);
    // First, for both ask when the host was heard last.
    const unbroken = inContactSince(store.contacts, findHost(tx.db, request.hostId)!, tx.now);
    loseUnknownRuns(tx, { ...request, inContactSince: unbroken });
    touchHost(tx, request.hostId, request.draining);
    if (request.draining) takeBackUnclaimed(tx, request.hostId);
    // It may have been away: then this is when its slots are there again.
    admitNext(tx);
    return unbroken;
  });
  store.contacts.set(request.hostId, since);
}

/**
 * Until something concerns this host, the time is over, or it has gone. What it has begun since it asked
 * is in none of its lists: then the answer may be empty, and its next poll names it.
 */
async function untilNews(deps: Deps, gone: AbortSignal, request: SyncRequest): Promise<void> {
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

const isNone = ({ stop, start }: Orders) => stop.length + start.length === 0;
