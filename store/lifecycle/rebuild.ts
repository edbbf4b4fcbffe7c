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
import { queuePoke, queueSpawn, requeueSent } from '../outbox.ts';
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
  tx.db.run('DELETE FROM outbox');
  const rows = tx.db.all<InvocationRow>(
    `${selectRows} WHERE status IN ${openStatuses} ORDER BY depth, ordinal`,
  );
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
  const isUnderWay = tx.db.get('SELECT 1 FROM outbox WHERE child_invocation_id = :id', {
    id: row.id,
  });
  if (!isUnderWay) queueSpawn(tx, row);
}

/** A new number, so that an owner that has started it once knows that it has to do so again. */
function forgetWorkflow(tx: Tx, row: InvocationRow): void {
  tx.db.run(
    `UPDATE subagent_sessions SET engine_state = 'unstarted', spawn_no = spawn_no + 1 WHERE id = :id`,
    { id: row.id },
  );
}
