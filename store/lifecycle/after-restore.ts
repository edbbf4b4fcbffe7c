/**
 * A database that was put back from a copy knows nothing of what came after it. Nothing that was open
 * then may pass for open now: it may have run, and ended, in the time that is lost.
 */
import { openStatuses, runnerOf, selectRows, type InvocationRow } from '../invocations.ts';
import { backupTakenAt, deleteMeta, engineEpoch, readMeta, writeMeta } from '../meta.ts';
import type { Openings } from '../openings.ts';
import type { Tx } from '../write-queue.ts';
import { settle } from './settle.ts';

/** At the first start on a copy, whoever put it there. All of it, or it is done again. */
export function afterRestore(tx: Tx, openings: Openings | null): void {
  const copy = copyOf(tx, openings);
  if (copy === null) return;
  tx.db.exec('BEGIN IMMEDIATE');
  try {
    endUnknown(tx, copy);
    // Not what any engine is called: at the next connect all that is left open is sent again.
    writeMeta(tx, engineEpoch, `restored ${tx.now}`);
    deleteMeta(tx, backupTakenAt);
    tx.db.exec('COMMIT');
  } catch (error) {
    tx.db.exec('ROLLBACK');
    throw error;
  }
}

/** As much as is known of it; null for the database that ran last. */
function copyOf(tx: Tx, openings: Openings | null): string | null {
  const takenAt = readMeta(tx.db, backupTakenAt);
  if (takenAt !== null) return `a backup of ${takenAt}`;
  if (openings === null || openings.inHome <= openings.inStore) return null;
  return `a copy that knows ${openings.inStore} of the ${openings.inHome} starts of its server`;
}

/** Deepest first, so that each ends for its own reason and not for its parent's. */
function endUnknown(tx: Tx, copy: string): void {
  const rows = tx.db.all<InvocationRow>(
    `${selectRows} WHERE status IN ${openStatuses} ORDER BY depth DESC, ordinal`,
  );
  for (const row of rows) {
    if (runnerOf(row).onLost === 'rerun') continue;
    settle(tx, row.id, {
      status: 'failed',
      error: `restored from ${copy}: what became of it after that is not known`,
      errorCode: 'outcome_unknown',
      errorHint:
        'It may have run, also to its end. Look at its workspace, then ask again; a runner that may safely be repeated can say "onLost": "rerun".',
    });
  }
}
