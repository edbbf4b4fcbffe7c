/** A SYNC call answers with the result, or after its patience with a handle. The others answer at once. */
import { randomUUID } from 'node:crypto';
import type { SubAgentRecord } from '../contract/records.ts';
import type { ExecutionMode } from '../contract/words.ts';
import { reach } from '../faults/reach.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import type { SessionRow } from '../store/sessions.ts';
import { endWait } from '../store/waits.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { recordOf } from './record.ts';
import { untilEnded } from './until-ended.ts';

/**
 * An agent of ours that asks in SYNC stands still: the accepting transaction notes it under this id. Whether its
 * token says who it is, or a header or the request, it would else hold the slot that its child waits for.
 */
export function waitIdFor(mode: ExecutionMode, parent: SessionRow | null): string | null {
  return mode === 'SYNC' && parent?.kind === 'managed' ? randomUUID() : null;
}

export interface Accepted {
  row: InvocationRow;
  mode: ExecutionMode;
  waitSeconds: number | null;
  waitId: string | null;
  /** When its request came, by `performance.now()`. */
  from: number;
}

/** What whoever asked is told of what is in the store now. */
export async function answerAccepted(
  deps: Deps,
  caller: Caller,
  { row, mode, waitSeconds, waitId, from }: Accepted,
): Promise<SubAgentRecord> {
  reach('accepted');
  deps.measure.accepted(mode, (performance.now() - from) / 1000);
  if (mode !== 'SYNC') return recordOf(deps, row);
  try {
    await untilEnded(deps, caller, { ids: [row.id], until: 'all', waitSeconds });
  } finally {
    if (waitId) await deps.store.write((tx) => endWait(tx, waitId));
  }
  return recordOf(deps, findInvocation(deps.store.db, row.id) ?? row);
}
