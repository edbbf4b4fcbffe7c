import { reach } from '../../faults/reach.ts';
import type { Tx } from '../write-queue.ts';
import { flagTree, type CancelOrder } from './flag.ts';
import { stopFlagged } from './settle.ts';

/** Cancels an invocation and all that it has asked for, except what was detached from it. */
export function cancelTree(tx: Tx, id: string, order: CancelOrder): void {
  for (const row of flagTree(tx, id, order)) stopFlagged(tx, row);
  reach('cancel uncommitted');
}
