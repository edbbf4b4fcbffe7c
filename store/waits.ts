/** Who stands still for whom. A blocked invocation keeps its process and lends its slot. */
import type { Tx } from './write-queue.ts';

export function beginWait(
  tx: Tx,
  wait: { waitId: string; waiterId: string; ids: string[]; until: 'any' | 'all' },
): void {
  for (const id of wait.ids) {
    tx.db.run(
      `INSERT INTO waits (wait_id, waiter_id, invocation_id, until)
       VALUES (:waitId, :waiterId, :id, :until) ON CONFLICT DO NOTHING`,
      { waitId: wait.waitId, waiterId: wait.waiterId, id, until: wait.until },
    );
  }
}

export function endWait(tx: Tx, waitId: string): void {
  tx.db.run('DELETE FROM waits WHERE wait_id = :waitId', { waitId });
}

/** An awaited invocation has ended: the slot goes back to its waiter before anybody else is let in. */
export function releaseWaiters(tx: Tx, invocationId: string): void {
  tx.db.run(
    `DELETE FROM waits WHERE wait_id IN (
       SELECT wait_id FROM waits WHERE invocation_id = :invocationId AND until = 'any')
       OR invocation_id = :invocationId`,
    { invocationId },
  );
}

/** Waits are calls; after a restart of the server none of them is under way any more. */
export function forgetWaits(tx: Tx): void {
  tx.db.run('DELETE FROM waits');
}
