import { AppError } from '../contract/errors.ts';
import { keySchema } from '../contract/fields.ts';
import { hints } from '../contract/hints.ts';
import { defaults } from '../contract/limits.ts';
import { subagentKey } from '../domain/lineage.ts';
import type { Db } from '../store/database.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { agentsWithKey } from '../store/sessions.ts';
import type { Deps } from './deps.ts';
import { outside } from './scope.ts';

/** What a hook says of its session, and of who is above it. */
interface Naming {
  harness?: string;
  agentId?: string | undefined;
  sessionKey?: string | undefined;
  sessionId?: string | undefined;
  childSessionKey?: string | undefined;
  harnessAgentId?: string | undefined;
  parentSessionKey?: string | undefined;
  parentHarnessAgentId?: string | undefined;
}

/**
 * Whose session a hook is about, or one that is registered: the token's agent, the one it names, the one that its keys
 * say, the one that those of its parent say, `default`. So whoever names none never forks a session that somebody knows.
 */
export function whoseAgent(
  deps: Deps,
  asking: Pick<InvocationRow, 'agent_id'> | null,
  naming: Naming,
): string {
  if (asking) {
    if (naming.agentId !== undefined && naming.agentId !== asking.agent_id) {
      throw new AppError('forbidden', `agent ${naming.agentId} is outside of this token's scope`);
    }
    return asking.agent_id;
  }
  if (naming.agentId !== undefined) return naming.agentId;
  const { db } = deps.store;
  return (
    agentOfKeys(db, ownKeys(naming)) ?? agentOfKeys(db, parentKeys(naming)) ?? defaults.agentId
  );
}

/** All by which the session may be known, and the one that it is in. */
function ownKeys({ harness, sessionKey, sessionId, childSessionKey, harnessAgentId }: Naming) {
  const inside = keyInside(harness, sessionKey, harnessAgentId);
  return keysIn([sessionKey, sessionId, childSessionKey, inside]);
}

function parentKeys({ harness, sessionKey, parentSessionKey, parentHarnessAgentId }: Naming) {
  return keysIn([parentSessionKey, keyInside(harness, sessionKey, parentHarnessAgentId)]);
}

const keyInside = (harness?: string, root?: string, id?: string) =>
  root === undefined || id === undefined ? undefined : subagentKey(harness ?? null, root, id);

const keysIn = (given: (string | undefined)[]) => [...new Set(given.flatMap((key) => key ?? []))];

/** The one that knows these keys, else the one that a key names (`agent:{id}:…`). */
const agentOfKeys = (db: Db, keys: readonly string[]): string | undefined =>
  agentKnowing(db, keys) ?? agentNamedIn(keys);

/**
 * The one that has a session under each of these keys that anybody has one under; of several the one that a key
 * names, or nobody.
 */
export function agentKnowing(db: Db, keys: readonly string[]): string | undefined {
  const known = keys.map((key) => agentsWithKey(db, key)).filter((agents) => agents.length > 0);
  const inAll = known.reduce(
    (some, agents) => some.filter((one) => agents.includes(one)),
    known[0] ?? [],
  );
  if (known.length === 0 || inAll.length === 1) return inAll[0];
  const named = agentNamedIn(keys);
  if (named !== undefined && inAll.includes(named)) return named;
  // Who they are is told: only the administrator, who may name any of them, is not bound to one.
  const several = [...new Set(known.flat())].toSorted().join(', ');
  const message = `several agents have a session ${keys.join(' or ')}: ${several}`;
  throw new AppError('parent_conflict', message, { hint: hints.nameAgent.http });
}

export const agentNamedIn = (keys: readonly string[]): string | undefined =>
  keys.map(agentIn).find((agentId) => agentId !== undefined);

/**
 * Whoever is bound to one agent makes no session under a key that names another: what that one says later, without
 * naming itself, would land there.
 */
export function requireOwnKey(agentId: string, key: string): void {
  const named = agentIn(key);
  if (named === undefined || named === agentId) return;
  throw outside(`agent ${named}, which ${key} names,`);
}

/** `agent:{id}:…`, where that is an id that an agent can have. */
function agentIn(key: string): string | undefined {
  const [, id] = /^agent:([^:]+):/.exec(key) ?? [];
  return id === undefined ? undefined : keySchema.safeParse(id).data;
}
