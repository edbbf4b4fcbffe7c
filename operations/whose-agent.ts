import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { defaults } from '../contract/limits.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { sessionsByKey } from '../store/sessions.ts';
import type { Deps } from './deps.ts';

/**
 * Whose session a hook is about, or one that is registered: the token's agent, the one it names, the one that knows
 * the key, the one that the key names (`agent:{id}:…`), `default`. So whoever names none never forks a known session.
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
  const [known, other] = sessionsByKey(deps.store.db, hook.sessionKey ?? '');
  if (other) {
    throw new AppError('parent_conflict', `several agents have a session ${hook.sessionKey}`, {
      hint: hints.nameAgent.http,
    });
  }
  if (known) return known.agent_id;
  return /^agent:([^:]+):/.exec(hook.sessionKey ?? '')?.[1] ?? defaults.agentId;
}
