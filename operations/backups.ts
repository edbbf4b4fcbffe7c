/** What only the administrator may ask: the store as a whole. */
import type { Backup, StoreCheck } from '../contract/system-records.ts';
import type { ParsedInput } from '../contract/operations.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireAdmin } from './gate.ts';

export async function takeBackup(
  deps: Deps,
  caller: Caller,
  { to }: ParsedInput<'takeBackup'>,
): Promise<Backup> {
  requireAdmin(caller);
  return deps.backups.take(to ?? null);
}

export async function checkStore(deps: Deps, caller: Caller): Promise<StoreCheck> {
  requireAdmin(caller);
  return deps.checkStore();
}
