/** What all hooks have in common: whose session it is, and that its hooks are heard one after the other. */
import { canonicalName } from '../../harnesses/names.ts';
import { reportedSession } from '../../store/lineage.ts';
import { findSession } from '../../store/sessions.ts';
import type { Tx } from '../../store/write-queue.ts';
import { meetAgent } from '../agents.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { askingInvocation } from '../gate.ts';
import { requireInProject, scopeOf } from '../scope.ts';
import { whoseAgent } from '../whose-agent.ts';
import { answerAfter, askerOf, bring } from './bring.ts';
import { hearIn } from './hear-in.ts';
import type { About, Heard, Hook, HookKind } from './hook.ts';
import { NeedsWhole } from './take-transcript.ts';

/** Undefined where the hook names no session: then nothing is kept but that there is such an agent. */
export async function hear<A extends object>(
  deps: Deps,
  caller: Caller,
  kind: HookKind,
  given: Hook,
  effect: (heard: Heard) => A,
): Promise<A | undefined> {
  const hook = { ...given, harness: canonicalName(given.harness) };
  const asking = askingInvocation(deps, caller);
  const scope = scopeOf(caller);
  const agentId = whoseAgent(deps, asking ?? (scope && { agent_id: scope.agentId }), hook);
  if (hook.sessionKey === undefined) {
    await meetAgent(deps, agentId);
    return undefined;
  }
  requireInScope(deps, caller, agentId, hook);
  const about = aboutSession(deps, agentId, kind, hook, hook.sessionKey);
  // One after the other: what is read of a file depends on what the hook before has read of it.
  return deps.oneAtATime(`hook ${agentId} ${about.sessionKey}`, async () => {
    // A mistake in the file keeps nothing that is reported from being kept.
    const config = () => deps.lastGoodConfig().memory.pipelineV2.subagents;
    const path = caller.runtimePath ?? hook.runtimePath ?? null;
    const hearing = { asking, agentId, about, caller, config, kind, hook, path, effect };
    const hearWith = async (isWhole: boolean) => {
      const brought = await bring(deps, hearing, isWhole);
      const askedBy = askerOf(hook, brought);
      const work = (tx: Tx) => hearIn(tx, { ...hearing, askedBy }, brought);
      return answerAfter(await deps.store.write(work), hook, brought);
    };
    try {
      return await hearWith(false);
    } catch (error) {
      if (!(error instanceof NeedsWhole)) throw error;
      return hearWith(true);
    }
  });
}

/** A token for a project reports sessions of that project, known ones and new ones. */
function requireInScope(deps: Deps, caller: Caller, agentId: string, hook: Hook): void {
  if (scopeOf(caller) === null) return;
  const known = findSession(deps.store.db, agentId, hook.sessionKey ?? '');
  if (known) requireInProject(caller, known.project);
  if (!known || hook.project !== undefined) requireInProject(caller, hook.project);
}

export function aboutSession(
  deps: Deps,
  agentId: string,
  kind: HookKind,
  hook: Hook,
  sessionKey: string,
): About {
  if (hook.childSessionKey !== undefined) {
    return { sessionKey: hook.childSessionKey, rootSessionKey: sessionKey };
  }
  return reportedSession(deps.store.db, {
    agentId,
    harness: hook.harness,
    sessionKey,
    harnessAgentId: hook.harnessAgentId ?? null,
    isAboutSubagent: kind.isAboutSubagent ?? false,
  });
}
