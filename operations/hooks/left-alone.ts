/** Bypass: a session that is left alone, and what its hooks are answered. */
import { heardAt } from '../../contract/moments.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../../contract/operations.ts';
import { bypassStates, setBypassed } from '../../store/bypass.ts';
import { holderOf, releaseClaim } from '../../store/claims.ts';
import type { SessionRow } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import { setOver } from './end-session.ts';
import type { Hearing } from './hook.ts';
import { isBeginning } from './see.ts';

/**
 * Bypass lasts until the session ends. What comes behind the end, as a repeat or late, is still of the
 * session that was bypassed: only what begins it again is heard.
 */
export function isLeftAlone<A>(
  tx: Tx,
  { kind, hook, path }: Hearing<A>,
  before: SessionRow | null,
  holder: SessionRow | null | undefined,
): boolean {
  if (holder !== before && holder?.bypassed) return true;
  if (!before?.bypassed) return false;
  const at = heardAt(hook.at, tx.now);
  if (before.bypassed === bypassStates.over && isBeginning(kind) && at >= (before.ended_at ?? '')) {
    setBypassed(tx, before.id, bypassStates.off);
    return false;
  }
  if (kind.isEnd === true && before.bypassed === bypassStates.on) {
    const holding = holderOf(before, tx.now);
    if (path === null || holding === null || holding === path) releaseClaim(tx, before.id);
    setOver(tx, before, at);
    setBypassed(tx, before.id, bypassStates.over);
  }
  return true;
}

export function bypassedAnswer(name: OperationName): object {
  const operation: OperationDeclaration = operations[name];
  return { ...operation.idle, bypassed: true };
}
