/** Messages whose receiver the engine does not know, or that it will not take. */
import { isFinal } from '../contract/words.ts';
import { reach } from '../faults/reach.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import { liveRun } from '../store/lifecycle/claim.ts';
import { closeWorkflow, ensureSpawn, respawn } from '../store/lifecycle/rebuild.ts';
import { settle } from '../store/lifecycle/settle.ts';
import { deleteRows, isSpawning, queueStart, type OutboxRow } from '../store/outbox.ts';
import type { Db, Tx } from '../store/index.ts';

/** The invocation that rows are meant for, as it is now; to be read before they are sent. */
export function targetOf(db: Db, rows: OutboxRow[]): InvocationRow | undefined {
  const target = rows[0]!.target_invocation_id;
  return target === null ? undefined : findInvocation(db, target);
}

/**
 * The workflow is not there. If it has been there and its invocation has ended, what it was to start
 * begins as a root and the rest has lost its point; if not, the engine has lost it, or has yet to begin
 * it: then the rows wait behind its own start. `before` is the target as it was when the message was sent: one that
 * begins meanwhile must not be taken for lost. Returns the rows that are still to be sent.
 */
export function repair(tx: Tx, rows: OutboxRow[], before: InvocationRow | undefined): number[] {
  const owner = targetOf(tx.db, rows);
  reach('repair uncommitted');
  if (owner && !isFinal(owner.status)) {
    if (before?.engine_state !== 'unstarted') respawn(tx, owner);
    else if (owner.engine_state === 'unstarted') ensureSpawn(tx, owner);
    return rows.map((row) => row.id);
  }
  const isToCome = owner?.engine_state === 'unstarted' && isSpawning(tx.db, owner.id);
  if (isToCome) return rows.map((row) => row.id);
  deleteRows(
    tx,
    rows.map((row) => row.id),
  );
  for (const { child_invocation_id: child } of rows) {
    if (child !== null && child !== owner?.id) queueStart(tx, child);
  }
  return [];
}

/** What the engine refuses for good ends as such, and blocks nothing behind it. Its program may have begun: it is ended. */
export function reject(tx: Tx, rows: OutboxRow[], why: string): void {
  deleteRows(
    tx,
    rows.map((row) => row.id),
  );
  for (const { child_invocation_id: child } of rows) {
    if (child === null) continue;
    closeWorkflow(tx, child);
    const run = liveRun(tx, child);
    if (run) tx.note({ kind: 'orders', hostId: run.host_id });
    settle(tx, child, {
      status: 'failed',
      error: `the engine refused it: ${why}`.slice(0, 1000),
      errorCode: 'engine_rejected',
      errorHint: 'Look at the request: a name or a size that Temporal does not take.',
    });
  }
}
