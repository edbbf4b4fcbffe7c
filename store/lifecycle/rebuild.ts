/** Another engine, or another database in it: every row that is not final is sent again, parents first. */
import { isFinal } from '../../contract/words.ts';
import { reach } from '../../faults/reach.ts';
import {
  begunInvocations,
  findInvocation,
  openStatuses,
  selectRows,
  type InvocationRow,
} from '../invocations.ts';
import { engineEpoch, readMeta, writeMeta } from '../meta.ts';
import { isSpawning, queuePoke, queueSpawn, requeueSent } from '../outbox.ts';
import type { Tx } from '../write-queue.ts';

/**
 * How many invocations had to be sent again; 0 where the engine is the one we knew. `instance` names
 * one process of an engine that may forget its last moments in a crash of the machine; null elsewhere.
 */
export function reconcileEpoch(tx: Tx, epoch: string, instance: string | null = null): number {
  const known = change(tx, engineEpoch, epoch);
  const knownInstance = instance === null ? null : change(tx, 'engine_instance', instance);
  // What was sent and not acknowledged by its effect may have been forgotten by either kind of crash.
  requeueSent(tx, { all: true });
  if (known !== null && known !== epoch) return rebuild(tx);
  if (knownInstance !== null && knownInstance !== instance) askAgain(tx);
  return 0;
}

/** What was known before. An idle server does not write. */
function change(tx: Tx, key: string, value: string): string | null {
  const known = readMeta(tx.db, key);
  if (known !== value) writeMeta(tx, key, value);
  return known;
}

/** Also what was acknowledged by its effect may be forgotten: each workflow asks what is next, or is found missing. */
function askAgain(tx: Tx): void {
  for (const row of begunInvocations(tx.db)) queuePoke(tx, row.id);
}

function rebuild(tx: Tx): number {
  // Also what has ended, if its workflow was still to come.
  const rows = tx.db.all<InvocationRow>(
    `${selectRows}
     WHERE status IN ${openStatuses} OR (engine_state = 'unstarted'
       AND id IN (SELECT child_invocation_id FROM outbox WHERE child_invocation_id IS NOT NULL))
     ORDER BY depth, ordinal`,
  );
  // What a session has to say of itself is no invocation's: whether it is new, or may rest, it hears all the same.
  tx.db.run(`DELETE FROM outbox WHERE kind <> 'session' OR child_invocation_id IS NOT NULL`);
  for (const row of rows) {
    forgetWorkflow(tx, row);
    queueSpawn(tx, row);
  }
  reach('rebuild uncommitted');
  return rows.length;
}

/** A workflow that the engine does not know: its invocation is asked for anew, as it was at first. */
export function respawn(tx: Tx, row: InvocationRow): void {
  forgetWorkflow(tx, row);
  ensureSpawn(tx, row);
}

/** Found missing in the engine by somebody who had looked at this row before: false where it has moved on since. */
export function respawnLost(tx: Tx, seen: InvocationRow): boolean {
  const row = findInvocation(tx.db, seen.id);
  if (!row || isFinal(row.status)) return false;
  if (row.engine_state !== 'open' || row.spawn_no !== seen.spawn_no) return false;
  respawn(tx, row);
  return true;
}

/** Asks for its start, unless that is under way. */
export function ensureSpawn(tx: Tx, row: InvocationRow): void {
  if (!isSpawning(tx.db, row.id)) queueSpawn(tx, row);
}

/** There will be none: the engine does not take it. */
export function closeWorkflow(tx: Tx, id: string): void {
  tx.db.run(`UPDATE subagent_sessions SET engine_state = 'closed' WHERE id = :id`, { id });
}

/** A new number, so that an owner that has started it once knows that it has to do so again. */
function forgetWorkflow(tx: Tx, row: InvocationRow): void {
  tx.db.run(
    `UPDATE subagent_sessions SET engine_state = 'unstarted', spawn_no = spawn_no + 1 WHERE id = :id`,
    { id: row.id },
  );
}
