import type { Tx } from './write-queue.ts';

/** The context begins anew: what its model was told before, it does not know any more. Answers how often. */
export function beginContext(tx: Tx, sessionId: number): number {
  return tx.db.get<{ context_epoch: number }>(
    'UPDATE sessions SET context_epoch = context_epoch + 1 WHERE id = :sessionId RETURNING context_epoch',
    { sessionId },
  )!.context_epoch;
}
