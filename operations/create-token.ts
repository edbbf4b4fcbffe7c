import { isAbsolute } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import type { OperationOutput, ParsedInput } from '../contract/operations.ts';
import type { Permission, ScopedRole } from '../contract/words.ts';
import { signToken } from '../domain/token.ts';
import { meetAgent } from './agents.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireAdmin } from './gate.ts';

const permissionsOf: Record<ScopedRole, Permission[]> = {
  operator: ['remember', 'recall'],
  agent: ['remember', 'recall'],
  readonly: ['recall'],
};

/** A token for one agent, which is known from then on. Nothing is kept of the token: it holds until it expires, or the home's secret changes. */
export async function createToken(
  deps: Deps,
  caller: Caller,
  input: ParsedInput<'createToken'>,
): Promise<OperationOutput<'createToken'>> {
  requireAdmin(caller);
  if (input.project !== undefined && !isAbsolute(input.project)) {
    throw new AppError('bad_request', 'project: must be an absolute path');
  }
  const of = permissionsOf[input.role];
  const permissions = input.permissions ?? of;
  const beyond = permissions.find((one) => !of.includes(one));
  if (beyond !== undefined) {
    throw new AppError('bad_request', `permissions: the role ${input.role} cannot ${beyond}`, {
      hint: hints.fewerPermissions.http,
    });
  }
  const claims = {
    role: input.role,
    agentId: input.agentId,
    project: input.project ?? null,
    permissions: [...permissions],
    expiresAt: new Date(Date.parse(deps.store.now()) + input.ttlSeconds * 1000).toISOString(),
  };
  await meetAgent(deps, input.agentId);
  return { ...claims, token: signToken(deps.secret, claims) };
}
