import { isFinal } from '../contract/words.ts';
import { findInvocation } from '../store/invocations.ts';
import type { Deps } from './deps.ts';

/** At the start: values that a kill left behind although their invocation has ended, or was never accepted. */
export async function dropOldSecrets(deps: Deps, ids: string[]): Promise<void> {
  for (const id of ids) {
    const row = findInvocation(deps.store.db, id);
    if (!row || isFinal(row.status)) await deps.secrets.remove(id);
  }
}
