/** Cancelling begins with a flag on every descendant at once, so that none starts another on the way down. */
import type { EndingErrorCode } from '../../contract/errors.ts';
import { openStatuses, rowOf, type InvocationRow } from '../invocations.ts';
import { queueCancel } from '../outbox.ts';
import type { Tx } from '../write-queue.ts';

export interface CancelOrder {
  code: EndingErrorCode;
  /** A function where it is not the same for all that are flagged together. */
  reason: string | ((row: InvocationRow) => string);
}

/** Flags an invocation and what it has asked for; what was detached goes on. Leaves come first. */
export function flagTree(tx: Tx, id: string, order: CancelOrder): InvocationRow[] {
  return flag(tx, 'id = :id', id, order);
}

export function flagChildren(tx: Tx, id: string, order: CancelOrder): InvocationRow[] {
  return flag(tx, 'owner_invocation_id = :id AND detached = 0', id, order);
}

function flag(tx: Tx, start: string, id: string, order: CancelOrder): InvocationRow[] {
  const rows = tx.db.all<InvocationRow>(
    `WITH RECURSIVE below(id, level) AS (
       SELECT id, 0 FROM subagent_sessions WHERE ${start}
       UNION ALL SELECT s.id, below.level + 1 FROM subagent_sessions s
         JOIN below ON s.owner_invocation_id = below.id WHERE s.detached = 0)
     SELECT ${rowOf('s')} FROM below JOIN subagent_sessions s ON s.id = below.id
     WHERE s.status IN ${openStatuses} ORDER BY below.level DESC, s.ordinal`,
    { id },
  );
  for (const row of rows) {
    if (row.cancel_requested_at !== null) continue;
    row.cancel_requested_at = tx.now;
    row.cancel_code = order.code;
    row.cancel_reason = typeof order.reason === 'string' ? order.reason : order.reason(row);
    tx.db.run(
      `UPDATE subagent_sessions
       SET cancel_requested_at = :now, cancel_code = :code, cancel_reason = :reason WHERE id = :id`,
      { id: row.id, now: tx.now, code: order.code, reason: row.cancel_reason },
    );
    // So that Temporal UI, too, calls it cancelled.
    if (row.engine_state !== 'closed') queueCancel(tx, row.id);
  }
  return rows;
}
