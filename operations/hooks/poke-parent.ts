import { lineageOf } from '../../store/lineage.ts';
import { queueSessionPoke } from '../../store/outbox.ts';
import { sessionById, type SessionRow } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';

/** A child has come or ended. The workflow of a session that is ours hears of what we start alone. */
export function pokeParent(tx: Tx, child: SessionRow): void {
  const edge = lineageOf(tx.db, child.id);
  const parent = edge && sessionById(tx.db, edge.parent_session_id);
  if (parent?.kind === 'external') queueSessionPoke(tx, parent.id);
}
