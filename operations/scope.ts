/** What a token for one agent may touch: its agent's data, in its project, with its permissions. */
import { realpath } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../contract/operations.ts';
import { scopedRoles, type Permission } from '../contract/words.ts';
import { isBelow } from '../domain/is-below.ts';
import type { ScopedClaims } from '../domain/token.ts';
import type { Caller } from './caller.ts';

/** Null for the administrator, a child and a runner host, which are bounded otherwise. */
export function scopeOf({ claims }: Caller): ScopedClaims | null {
  const isScoped = (scopedRoles as readonly string[]).includes(claims.role);
  return isScoped ? (claims as ScopedClaims) : null;
}

/** Reading needs `recall`, all else `remember`. */
export function permissionFor(name: OperationName): Permission {
  const operation: OperationDeclaration = operations[name];
  return operation.permission ?? (operation.method === 'GET' ? 'recall' : 'remember');
}

/** In front of every operation. Deleting is an operator's. */
export function requirePermission(caller: Caller, name: OperationName): void {
  const scope = scopeOf(caller);
  if (scope === null) return;
  const needed = permissionFor(name);
  if (!scope.permissions.includes(needed)) {
    throw new AppError('forbidden', `this ${scope.role} token lacks the ${needed} permission`, {
      hint: hints.otherToken.http,
    });
  }
  if (operations[name].method === 'DELETE' && scope.role !== 'operator') {
    throw new AppError('forbidden', `a token of role ${scope.role} deletes nothing`, {
      hint: hints.otherToken.http,
    });
  }
}

/** Whether it may start sub-agents. */
export const mayStart = (caller: Caller): boolean =>
  scopeOf(caller)?.permissions.includes('remember') ?? true;

/** The agent that is asked for, as far as the token names one; another one is refused. */
export function ownAgent(caller: Caller, named: string | undefined): string | undefined {
  const scope = scopeOf(caller);
  if (scope === null) return named;
  if (named !== undefined && named !== scope.agentId) throw outside(`agent ${named}`);
  return scope.agentId;
}

/** Whether this is the token's own: what is not, is for its holder as if it were not there. */
export function isOwn(caller: Caller, of: { agent_id: string; project: string | null }): boolean {
  const scope = scopeOf(caller);
  return scope === null || (scope.agentId === of.agent_id && isInProject(caller, of.project));
}

/** The project's folder itself, or one below it. */
export function isInProject(caller: Caller, folder: string | null | undefined): boolean {
  const project = scopeOf(caller)?.project ?? null;
  if (project === null) return true;
  return folder === project || (folder != null && isBelow(project, folder));
}

export function requireInProject(caller: Caller, folder: string | null | undefined): void {
  if (!isInProject(caller, folder)) throw outside(folder ?? 'a session without a project');
}

/** The same with links followed: what lies in the project by its name may lead out of it. */
export async function requireReallyInProject(caller: Caller, folder: string): Promise<void> {
  const project = scopeOf(caller)?.project ?? null;
  if (project === null) return;
  const [real, root] = await Promise.all([folder, project].map((path) => realOf(path)));
  if (real !== root && !isBelow(root!, real!)) throw outside(folder);
}

const realOf = (path: string) => realpath(path).catch(() => path);

export const outside = (what: string, more: { hint?: string } = {}) =>
  new AppError('forbidden', `${what} is outside of what this token may touch`, more);

/** Of what is deleted with something, each session must be in reach. Which is not, is not told: for the caller it is not there. */
export const requireReach =
  (caller: Caller, of: string) => (taken: { agent_id: string; project: string | null }) => {
    if (isOwn(caller, taken)) return;
    throw outside(`something below ${of}`, {
      hint: 'Nothing was deleted. It takes a token that reaches all that is below it.',
    });
  };
