/** Search in what sessions have said: whose turns, which sessions, and who asks. */
import { defaults, limits } from '../contract/limits.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { SearchScope } from '../contract/search.ts';
import { keyAbove } from '../domain/lineage.ts';
import type { InvocationRow } from '../store/invocations.ts';
import { isAtOrAbove, lineageOf } from '../store/lineage.ts';
import { sessionsAbove, sessionsFrom } from '../store/session-family.ts';
import { findSession, sessionById, type SessionRow } from '../store/sessions.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { agentOf, askingInvocation } from './gate.ts';
import { isOwn, outside, requireInProject, scopeOf as tokenScope } from './scope.ts';
import { agentKnowing, agentNamedIn } from './whose-agent.ts';

type Input = ParsedInput<'searchSessions'>;

/** The key of somebody else's session is the key of none: nothing is found there, and nothing is said about it. */
export async function searchSessions(
  deps: Deps,
  caller: Caller,
  input: Input,
): Promise<OperationOutput<'searchSessions'>> {
  const { query, limit, groupBy } = input;
  const scope = scopeOf(deps, caller, input);
  const request = { query, limit, bySession: groupBy === 'session' };
  const hits = scope === null ? [] : await deps.search({ ...request, scope });
  return { query, hits, count: hits.length };
}

/** Null where nothing may be looked at. */
function scopeOf(deps: Deps, caller: Caller, input: Input): SearchScope | null {
  const { db } = deps.store;
  const asking = askingInvocation(deps, caller);
  const agentId = asking ? ownAgent(asking, input) : namedAgent(deps, caller, input);
  const project = input.project ?? tokenScope(caller)?.project ?? null;
  requireInProject(caller, project);
  const find = (key: string) => {
    const session = findSession(db, agentId, key);
    return session && isOwn(caller, session) ? session : undefined;
  };
  const own = ownSession(deps, caller, input, asking, find);
  const all = { agentId, project, sessionIds: null, rootId: null };
  const others = { ...all, withoutId: own.session?.id ?? null };

  let scope: SearchScope | null;
  if (input.sessionKey !== undefined) {
    const session = find(input.sessionKey);
    // One that is named is searched, also by itself.
    scope = session ? { ...all, sessionIds: [session.id], withoutId: null } : null;
  } else if (input.rootSessionKey !== undefined) {
    const root = find(input.rootSessionKey);
    scope = root ? { ...others, ...subtree(deps, root) } : null;
  } else {
    const parent = parentOf(deps, own, find);
    scope = parent ? { ...others, sessionIds: [parent] } : others;
  }
  return scope && asking ? readableBy(deps, asking, scope) : scope;
}

function ownAgent(asking: InvocationRow, { agentId }: Input): string {
  if (agentId === undefined || agentId === asking.agent_id) return asking.agent_id;
  throw outside(`agent ${agentId}`);
}

/** The one that is named, else the one that knows the session, else the one in its key. */
function namedAgent(deps: Deps, caller: Caller, input: Input): string {
  if (tokenScope(caller) !== null) return agentOf(deps, caller, input.agentId);
  if (input.agentId !== undefined) return input.agentId;
  const keys = [
    input.sessionKey,
    input.rootSessionKey,
    input.currentSessionKey,
    caller.parentSessionId,
  ].flatMap((key) => key ?? []);
  for (const key of keys) {
    const agentId = agentKnowing(deps.store.db, [key]);
    if (agentId !== undefined) return agentId;
  }
  return agentNamedIn(keys) ?? defaults.agentId;
}

/** Who asks. A session may ask that nobody has reported yet: then only its key is known. */
interface Own {
  session: SessionRow | null;
  key: string | null;
}

function ownSession(
  deps: Deps,
  caller: Caller,
  input: Input,
  asking: InvocationRow | null,
  find: (key: string) => SessionRow | undefined,
): Own {
  const key = input.currentSessionKey ?? caller.parentSessionId;
  const named = key === null ? null : (find(key) ?? null);
  if (asking === null) return { session: named, key };
  // A program that we run may have sub-agents of its own, whose sessions are below its session.
  const isBelow = named !== null && isAtOrAbove(deps.store.db, asking.session_id, named.id);
  const session = isBelow ? named : sessionById(deps.store.db, asking.session_id);
  return { session, key: session.session_key };
}

function parentOf(
  deps: Deps,
  { session, key }: Own,
  find: (key: string) => SessionRow | undefined,
): number | null {
  const edge = session && lineageOf(deps.store.db, session.id);
  if (edge) return edge.parent_session_id;
  const above = key === null ? null : keyAbove(key);
  return above === null ? null : (find(above)?.id ?? null);
}

/** A tree's own root is in the index; what is below another session is named, within its tree. */
function subtree(deps: Deps, root: SessionRow): Pick<SearchScope, 'sessionIds' | 'rootId'> {
  const { db } = deps.store;
  const edge = lineageOf(db, root.id);
  if (edge === undefined) return { sessionIds: null, rootId: root.id };
  const sessionIds = sessionsFrom(db, root.id, limits.searchTreeMax);
  return { sessionIds, rootId: edge.root_session_id };
}

/** A child's token reads its own session, those below it and those above it. */
function readableBy(deps: Deps, asking: InvocationRow, scope: SearchScope): SearchScope {
  const { db } = deps.store;
  const own = asking.session_id;
  const named = scope.sessionIds;
  if (named?.length === 1) {
    const isReadable = (id: number) => isAtOrAbove(db, own, id) || isAtOrAbove(db, id, own);
    return { ...scope, sessionIds: named.filter(isReadable) };
  }
  const readable = [...sessionsFrom(db, own, limits.searchTreeMax), ...sessionsAbove(db, own)];
  const among = new Set(readable);
  return {
    ...scope,
    sessionIds: named?.filter((id) => among.has(id)) ?? readable,
    rootId: scope.rootId ?? lineageOf(db, own)?.root_session_id ?? own,
  };
}
