import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { defaults } from '../contract/limits.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { agentsWithKey, findSession } from '../store/sessions.ts';
import type { Deps } from './deps.ts';
import { outside } from './scope.ts';

/**
 * Whose session a hook is about, or one that is registered: the token's agent, the one it names, the one that knows
 * the key (if it is one alone), the one that the key names (`agent:{id}:…`), `default`. So whoever names none never
 * forks a session that somebody knows: of several who do it is the one that the key names, or nobody.
 */
export function whoseAgent(
  deps: Deps,
  asking: Pick<InvocationRow, 'agent_id'> | null,
  hook: { agentId?: string | undefined; sessionKey?: string | undefined },
): string {
  if (asking) {
    if (hook.agentId !== undefined && hook.agentId !== asking.agent_id) {
      throw new AppError('forbidden', `agent ${hook.agentId} is outside of this token's scope`);
    }
    return asking.agent_id;
  }
  if (hook.agentId !== undefined) return hook.agentId;
  const key = hook.sessionKey ?? '';
  const [known, other] = agentsWithKey(deps.store.db, key);
  if (known !== undefined && other === undefined) return known;
  const named = agentIn(key);
  if (other === undefined) return named ?? defaults.agentId;
  if (named !== undefined && findSession(deps.store.db, named, key) !== undefined) return named;
  throw new AppError('parent_conflict', `several agents have a session ${key}`, {
    hint: hints.nameAgent.http,
  });
}

/**
 * Whoever is bound to one agent makes no session under a key that names another: what that one says later, without
 * naming itself, would land there.
 */
export function requireOwnKey(agentId: string, key: string): void {
  const named = agentIn(key);
  if (named === undefined || named === agentId) return;
  throw outside(`agent ${named}, which ${key} names,`);
}

const agentIn = (key: string): string | undefined => /^agent:([^:]+):/.exec(key)?.[1];
