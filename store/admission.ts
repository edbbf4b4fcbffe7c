/**
 * Who may run now. Decided here, before anything is scheduled: descendants before new roots, then
 * first come, first served. A blocked parent keeps its process and does not count.
 *
 * A parent whose patience ends before its child does goes on at once: a process cannot be held, and
 * the child that took over its slot is not stopped for it. So more may work than there are slots, by
 * as many as were standing still, and never more than the ceiling. Until they are within the slots
 * again nobody is let in, and a slot that is worked in already cannot be lent once more.
 */
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { reach } from '../faults/reach.ts';
import { findHost, isLive, listHosts, type HostRow } from './hosts.ts';
import { rowOf, type InvocationRow } from './invocations.ts';
import { queuePoke } from './outbox.ts';
import { nextInQueue } from './placement.ts';
import type { Tx } from './write-queue.ts';

/** Puts an invocation that has something to do into the queue for a slot. */
export function enqueue(tx: Tx, row: InvocationRow): void {
  const isDescendant = row.owner_invocation_id !== null || row.started_at !== null;
  tx.db.run(
    `UPDATE subagent_sessions
     SET queue_class = :class,
         queued_at_ordinal = (SELECT coalesce(max(queued_at_ordinal), 0) + 1 FROM subagent_sessions
                              WHERE queued_at_ordinal IS NOT NULL)
     WHERE id = :id AND queued_at_ordinal IS NULL AND host_id IS NULL`,
    { id: row.id, class: isDescendant ? 0 : 1 },
  );
}

/** Fills every free slot from the queue. */
export function admitNext(tx: Tx): void {
  while (isSomebodyQueued(tx)) {
    const hosts = freeHosts(tx);
    if (hosts.length === 0) return;
    const next = nextInQueue(tx.db, hosts);
    if (!next) return;
    admit(tx, next.id, next.bound ?? hosts[0]!);
  }
}

/**
 * What a host was given and did not claim before it fell silent, or began to drain, goes back to the
 * head of the queue: another host may take it, and until then its record says what it waits for.
 * Of one host alone where its own word is known, and the silence of the others is not judged.
 */
export function takeBackUnclaimed(tx: Tx, hostId: string | null = null): void {
  const rows = tx.db
    .all<InvocationRow & { last_seen_at: string; draining: number }>(
      // Hosts first, as CROSS JOIN says: for the order SQLite would go through all that ever ran.
      `SELECT ${rowOf('s')}, h.last_seen_at, h.draining
       FROM hosts h CROSS JOIN subagent_sessions s ON s.host_id = h.id
       WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.invocation_id = s.id AND r.state = 'live')
         AND (:hostId IS NULL OR h.id = :hostId)
       ORDER BY s.ordinal DESC`,
      { hostId },
    )
    .filter((row) => row.draining === 1 || !isLive(row, tx.now));
  for (const { id } of rows) {
    tx.db.run(
      `UPDATE subagent_sessions
       SET host_id = NULL,
           queued_at_ordinal = (SELECT coalesce(min(queued_at_ordinal), 1) - 1 FROM subagent_sessions
                                WHERE queued_at_ordinal IS NOT NULL)
       WHERE id = :id`,
      { id },
    );
    tx.note({ kind: 'released', invocationId: id });
  }
}

/** A child that its parent waits for takes over the parent's slot, in the accepting transaction. */
export function inheritSlot(tx: Tx, child: InvocationRow, parent: InvocationRow): void {
  const host = parent.host_id === null ? undefined : findHost(tx.db, parent.host_id);
  if (host && isOpen(tx, host) && freeSlots(tx, host) > 0) admit(tx, child.id, host.id);
}

/** Gives the slot back, and lets the next in. */
export function releaseSlot(tx: Tx, invocationId: string): void {
  tx.db.run(
    'UPDATE subagent_sessions SET host_id = NULL, queued_at_ordinal = NULL WHERE id = :invocationId',
    { invocationId },
  );
  tx.note({ kind: 'released', invocationId });
}

/** When every process on a host would stand still for another, the last one must not join them. */
export function refuseDeadlock(tx: Tx, waiter: InvocationRow): void {
  const host = waiter.host_id === null ? undefined : findHost(tx.db, waiter.host_id);
  if (!host) return;
  const { total, working } = load(tx, host);
  const workingAfter = working - (isBlocked(tx, waiter.id) ? 0 : 1);
  if (total < host.ceiling || workingAfter > 0) return;
  throw new AppError(
    'capacity',
    `all ${total} processes of host ${host.id} would wait for others, and it may hold no more`,
    { hint: hints.noRoom.http },
  );
}

export function isBlocked(tx: Tx, invocationId: string): boolean {
  return (
    tx.db.get('SELECT 1 FROM waits WHERE waiter_id = :invocationId', { invocationId }) !== undefined
  );
}

const isSomebodyQueued = (tx: Tx) =>
  tx.db.get('SELECT 1 FROM subagent_sessions WHERE queued_at_ordinal IS NOT NULL LIMIT 1') !==
  undefined;

function admit(tx: Tx, id: string, hostId: string): void {
  const row = tx.db.get<Pick<InvocationRow, 'engine_state'>>(
    `UPDATE subagent_sessions SET host_id = :hostId, queued_at_ordinal = NULL WHERE id = :id
     RETURNING engine_state`,
    { id, hostId },
  )!;
  reach('slot given');
  // The host begins at once. The workflow takes a lease on it; one that has not begun asks when it does.
  tx.note({ kind: 'orders', hostId });
  if (row.engine_state === 'open') queuePoke(tx, id);
}

/** Hosts with a slot to give, the freest first. */
function freeHosts(tx: Tx): string[] {
  return listHosts(tx.db)
    .filter((host) => isOpen(tx, host))
    .map((host) => ({ host, free: freeSlots(tx, host) }))
    .filter(({ free: slots }) => slots > 0)
    .sort((a, b) => b.free - a.free)
    .map(({ host }) => host.id);
}

function freeSlots(tx: Tx, host: HostRow): number {
  const { total, working } = load(tx, host);
  return Math.min(host.slots - working, host.ceiling - total);
}

const isOpen = (tx: Tx, host: HostRow) => isLive(host, tx.now) && host.draining === 0;

/** Processes a host holds, and those of them that are not standing still. */
export function load(tx: Pick<Tx, 'db'>, host: HostRow): { total: number; working: number } {
  return tx.db.get(
    `SELECT count(*) AS total,
            coalesce(sum(NOT EXISTS (SELECT 1 FROM waits w WHERE w.waiter_id = s.id)), 0) AS working
     FROM subagent_sessions s WHERE s.host_id = :id`,
    { id: host.id },
  )!;
}
