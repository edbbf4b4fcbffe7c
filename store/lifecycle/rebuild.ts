/** Another engine, or another database in it: every row that is not final is sent again, parents first. */
import { openStatuses, type InvocationRow } from '../invocations.ts';
import { readMeta, writeMeta } from '../meta.ts';
import { queueSpawn, requeueSent } from '../outbox.ts';
import type { Tx } from '../write-queue.ts';

/** How many invocations had to be sent again; 0 where the engine is the one we knew. */
export function reconcileEpoch(tx: Tx, epoch: string): number {
  const known = readMeta(tx.db, 'engine_epoch');
  writeMeta(tx, 'engine_epoch', epoch);
  // What was sent and not acknowledged by its effect may have been forgotten by either kind of crash.
  requeueSent(tx, { all: true });
  return known === null || known === epoch ? 0 : rebuild(tx);
}

function rebuild(tx: Tx): number {
  tx.db.run('DELETE FROM outbox');
  const rows = tx.db.all<InvocationRow>(
    `SELECT * FROM subagent_sessions WHERE status IN ${openStatuses} ORDER BY depth, ordinal`,
  );
  for (const row of rows) {
    forgetWorkflow(tx, row);
    queueSpawn(tx, row);
  }
  return rows.length;
}

/** A workflow that the engine does not know: its invocation is asked for anew, as it was at first. */
export function respawn(tx: Tx, row: InvocationRow): void {
  forgetWorkflow(tx, row);
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
