/** The one gate in front of every operation: what a token may touch. */
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { defaults } from '../contract/limits.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../contract/operations.ts';
import { isFinal } from '../contract/words.ts';
import type { Db } from '../store/database.ts';
import {
  findInvocation,
  isInSubtree,
  openInvocationOn,
  statusOf,
  type InvocationRow,
} from '../store/invocations.ts';
import { liveRun } from '../store/lifecycle/claim.ts';
import { isAtOrAbove } from '../store/lineage.ts';
import { findSession, sessionById, sessionsByKey, type SessionRow } from '../store/sessions.ts';
import type { TokenClaims } from '../domain/token.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import {
  isOwn,
  mayStart,
  outside,
  ownAgent,
  permissionFor,
  requireInProject,
  scopeOf,
} from './scope.ts';
import { agentKnowing, requireOwnKey } from './whose-agent.ts';

type ChildClaims = Extract<TokenClaims, { role: 'child' }>;

const foreign = (what: string) =>
  outside(what, { hint: "A child's token acts on what its own invocation has asked for." });

/** The asking invocation; null for the administrator. */
export function askingInvocation(deps: Deps, caller: Caller): InvocationRow | null {
  if (caller.claims.role === 'admin' || scopeOf(caller)) return null;
  if (caller.claims.role === 'host') throw outside('this operation');
  const row = findInvocation(deps.store.db, (caller.claims as ChildClaims).invocationId);
  if (!row) throw new AppError('unauthorized', 'the invocation of this token was deleted');
  return row;
}

/**
 * In front of every operation: an agent that has ended changes nothing any more. Hooks look at whose session they are
 * of; what it asks to be run is refused where it is accepted, which knows a repeat.
 */
export function requireRunning(deps: Deps, { claims }: Caller, name: OperationName): void {
  if (claims.role !== 'child' || permissionFor(name) === 'recall') return;
  const { idle }: OperationDeclaration = operations[name];
  if (idle || name === 'runSubagent' || name === 'sendToSubagent') return;
  if (hasEnded(deps.store.db, claims.invocationId)) throw ended(claims.invocationId);
}

export function hasEnded(db: Db, invocationId: string): boolean {
  const status = statusOf(db, invocationId);
  return status !== null && isFinal(status);
}

export const ended = (invocationId: string) =>
  new AppError('forbidden', `the token of ${invocationId} changes nothing any more`, {
    hint: 'Its invocation has ended. What it could read it still can.',
  });

/**
 * Who stands still in a wait: the token's invocation, else the one that runs in the session which the header names,
 * if this token could be its: an agent waits for what it has started. Any other header does not spoil a read:
 * nobody stands still then, and nothing is refused for it.
 */
export function waitingInvocation(deps: Deps, caller: Caller): InvocationRow | null {
  const asking = askingInvocation(deps, caller);
  if (asking || caller.parentSessionId === null || !mayStart(caller)) return asking;
  const { db } = deps.store;
  const agentId = ownAgent(caller, undefined);
  const [session, another] =
    agentId === undefined
      ? sessionsByKey(db, caller.parentSessionId)
      : [findSession(db, agentId, caller.parentSessionId)];
  if (!session || another || !isOwn(caller, session)) return null;
  const open = openInvocationOn(db, session.id);
  return open && liveRun(deps.store, open.id) ? open : null;
}

/** Whose data is asked for: the token's agent; for the administrator, the one that is named. */
export function agentOf(deps: Deps, caller: Caller, named: string | undefined): string {
  const asking = askingInvocation(deps, caller);
  if (!asking) return ownAgent(caller, named) ?? defaults.agentId;
  if (named !== undefined && named !== asking.agent_id) throw foreign(`agent ${named}`);
  return asking.agent_id;
}

/** What concerns the whole home is its administrator's alone. */
export function requireAdmin(caller: Caller): void {
  if (caller.claims.role === 'admin') return;
  throw outside('this operation', { hint: "It needs the administrator's token." });
}

/** What an agent may not do with its own data. */
export function requireOperator(caller: Caller): void {
  const { role } = caller.claims;
  if (role === 'admin' || role === 'operator') return;
  throw new AppError('forbidden', 'secrets go out only with a token of an operator', {
    hint: hints.rawExport.http,
  });
}

/** An invocation the caller may act on: for a child, one below its own. */
export function requireBelow(deps: Deps, caller: Caller, id: string): InvocationRow {
  const row = requireInvocation(deps, caller, id);
  const asking = askingInvocation(deps, caller);
  if (asking && (asking.id === id || !isInSubtree(deps.store.db, asking.id, id))) throw foreign(id);
  return row;
}

/** An invocation whose words the caller may read: also its own and its ancestors'. */
export function requireReadable(deps: Deps, caller: Caller, id: string): InvocationRow {
  const row = requireInvocation(deps, caller, id);
  if (!mayRead(deps, caller, row)) throw foreign(id);
  return row;
}

/** The same of what is there, for those who ask again and again. */
export function mayRead(deps: Deps, caller: Caller, { id, session_id }: InvocationRow): boolean {
  const { db } = deps.store;
  const asking = askingInvocation(deps, caller);
  if (!asking) return isOwn(caller, sessionById(db, session_id));
  return isInSubtree(db, asking.id, id) || isInSubtree(db, id, asking.id);
}

/** A session by its key: for a child, its own or one below. */
export function requireSession(
  deps: Deps,
  caller: Caller,
  asked: { key: string; agentId?: string | undefined },
): SessionRow {
  const asking = askingInvocation(deps, caller);
  const agentId = asking?.agent_id ?? ownAgent(caller, asked.agentId);
  const session = findKnownSession(deps, agentId, asked.key);
  if (!session || !isOwn(caller, session))
    throw new AppError('not_found', `there is no session ${asked.key}`);
  if (asking && !isAtOrAbove(deps.store.db, asking.session_id, session.id))
    throw foreign(asked.key);
  return session;
}

/** A session whose words the caller may read: for a child, also those above its own. */
export function requireReadableSession(
  deps: Deps,
  caller: Caller,
  asked: { key: string; agentId?: string | undefined },
): SessionRow {
  const asking = askingInvocation(deps, caller);
  if (asking && asked.agentId !== undefined && asked.agentId !== asking.agent_id) {
    throw foreign(`agent ${asked.agentId}`);
  }
  const agentId = asking?.agent_id ?? ownAgent(caller, asked.agentId);
  const session = findKnownSession(deps, agentId, asked.key);
  if (!session || !isOwn(caller, session))
    throw new AppError('not_found', `there is no session ${asked.key}`);
  if (!mayReadSession(deps, caller, session)) throw foreign(asked.key);
  return session;
}

/** The same of what is there. */
export function mayReadSession(deps: Deps, caller: Caller, session: SessionRow): boolean {
  const { db } = deps.store;
  const asking = askingInvocation(deps, caller);
  if (!asking) return isOwn(caller, session);
  return (
    isAtOrAbove(db, asking.session_id, session.id) || isAtOrAbove(db, session.id, asking.session_id)
  );
}

/** Who asks for something to be run: session, invocation and scope. */
export function whoAsks(
  deps: Deps,
  caller: Caller,
  asked: {
    parentSessionId?: string | undefined;
    agentId?: string | undefined;
    context?: { workspacePath?: string | undefined };
  },
): { parent: SessionRow | null; askingInvocation: string | null; agentId: string } {
  const asking = askingInvocation(deps, caller);
  if (asking) {
    // Whatever this token asks for belongs to its invocation; another claim is a mistake or a lie.
    if (asked.parentSessionId !== undefined && asked.parentSessionId !== asking.session_key) {
      throw foreign(`parent ${asked.parentSessionId}`);
    }
    if (asked.agentId !== undefined && asked.agentId !== asking.agent_id) {
      throw foreign(`agent ${asked.agentId}`);
    }
    return {
      parent: sessionById(deps.store.db, asking.session_id),
      askingInvocation: asking.id,
      agentId: asking.agent_id,
    };
  }
  const key = asked.parentSessionId ?? caller.parentSessionId;
  const agentId = ownAgent(caller, asked.agentId);
  const workspace = asked.context?.workspacePath;
  if (workspace !== undefined) requireInProject(caller, workspace);
  if (key === null || key === undefined) {
    if (asked.context && workspace === undefined) requireInProject(caller, null);
    return { parent: null, askingInvocation: null, agentId: agentId ?? defaults.agentId };
  }
  const parent = findKnownSession(deps, agentId, key);
  if (!parent && scopeOf(caller)) requireOwnKey(agentId!, key);
  if (!parent || !isOwn(caller, parent)) {
    throw new AppError('unknown_parent', `there is no session ${key}`, {
      hint: hints.registerParent.http,
    });
  }
  return { parent, askingInvocation: null, agentId: parent.agent_id };
}

function requireInvocation(deps: Deps, caller: Caller, id: string): InvocationRow {
  const row = findInvocation(deps.store.db, id);
  if (!row || !isOwn(caller, sessionById(deps.store.db, row.session_id)))
    throw new AppError('not_found', `there is no invocation ${id}`);
  return row;
}

function findKnownSession({ store: { db } }: Deps, agentId: string | undefined, key: string) {
  const known = agentId ?? agentKnowing(db, [key]);
  return known === undefined ? undefined : findSession(db, known, key);
}
