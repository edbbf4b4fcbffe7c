/** Agents: the scopes to which sessions, transcripts and entities belong. */
import { AppError } from '../contract/errors.ts';
import type { ParsedInput } from '../contract/operations.ts';
import type { AgentRecord } from '../contract/records.ts';
import { ensureAgent, findAgent, putAgent as put } from '../store/agents.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { agentOf, requireAdmin } from './gate.ts';

export async function getAgent(
  deps: Deps,
  caller: Caller,
  { id }: ParsedInput<'getAgent'>,
): Promise<AgentRecord> {
  const found = findAgent(deps.store.db, agentOf(deps, caller, id));
  if (!found) throw new AppError('not_found', `there is no agent ${id}`);
  return found;
}

/** Who may read whom is said by the home's administrator, not by the agents. */
export async function putAgent(
  deps: Deps,
  caller: Caller,
  { id, name, readPolicy, policyGroup }: ParsedInput<'putAgent'>,
): Promise<AgentRecord> {
  requireAdmin(caller);
  return deps.store.write((tx) =>
    put(tx, id, {
      name: name ?? null,
      readPolicy: readPolicy ?? null,
      policyGroup: policyGroup ?? null,
    }),
  );
}

/** Whoever is named for the first time where nothing else is kept. Nothing is written for one that is known. */
export async function meetAgent({ store }: Deps, id: string): Promise<void> {
  if (!findAgent(store.db, id)) await store.write((tx) => ensureAgent(tx, id));
}
