/** Waiting for endings. Answered by the finishing transaction, not by the engine. */
import { randomUUID } from 'node:crypto';
import { isFinal } from '../contract/words.ts';
import { reach } from '../faults/reach.ts';
import { admitNext, refuseDeadlock } from '../store/admission.ts';
import { statusOf, type InvocationRow } from '../store/invocations.ts';
import { beginWait, endWait } from '../store/waits.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

export interface Waiting {
  ids: string[];
  until: 'any' | 'all';
  /** Null: without end. */
  waitSeconds: number | null;
}

/** Resolves when any or all have ended, the time is over, or the caller has gone. */
export async function untilEnded(deps: Deps, caller: Caller, waiting: Waiting): Promise<void> {
  if (isOver(deps, waiting) || waiting.waitSeconds === 0) return;
  const stopCounting = deps.measure.waiting();
  await new Promise<void>((resolve) => {
    const ids = new Set(waiting.ids);
    const timer =
      waiting.waitSeconds === null ? null : setTimeout(finish, waiting.waitSeconds * 1000);
    const stopListening = deps.store.changes.listen((change) => {
      if (change.kind === 'final' && ids.has(change.invocationId) && isOver(deps, waiting))
        finish();
    });
    caller.gone.addEventListener('abort', finish, { once: true });
    if (caller.gone.aborted) finish();

    function finish(): void {
      if (timer) clearTimeout(timer);
      stopListening();
      caller.gone.removeEventListener('abort', finish);
      resolve();
    }
  });
  stopCounting();
  reach('wait over');
}

/** The same for an agent of ours: while it stands still, its slot is free for others. */
export async function standStill(
  deps: Deps,
  caller: Caller,
  waiter: InvocationRow,
  waiting: Waiting,
): Promise<void> {
  if (isOver(deps, waiting) || waiting.waitSeconds === 0) return;
  const waitId = randomUUID();
  await deps.store.write((tx) => {
    // Looked for here, because a wait for what has ended, or is deleted, would never be released.
    const open = waiting.ids.filter((id) => !hasEnded(deps, id));
    refuseDeadlock(tx, waiter);
    beginWait(tx, { waitId, waiterId: waiter.id, ids: open, until: waiting.until });
    admitNext(tx);
  });
  reach('wait begun');
  try {
    await untilEnded(deps, caller, waiting);
  } finally {
    await deps.store.write((tx) => endWait(tx, waitId));
  }
}

function isOver(deps: Deps, waiting: Waiting): boolean {
  return waiting.until === 'any'
    ? waiting.ids.some((id) => hasEnded(deps, id))
    : waiting.ids.every((id) => hasEnded(deps, id));
}

/** What was deleted in the meantime has ended, too. */
function hasEnded(deps: Deps, id: string): boolean {
  const status = statusOf(deps.store.db, id);
  return status === null || isFinal(status);
}
