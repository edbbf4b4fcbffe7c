/** Whoever holds a token for one agent, and perhaps for one project. */
import type { Permission, ScopedRole } from '../../contract/words.ts';
import { callerAs } from './operations-fixture.ts';

interface Scope {
  role?: ScopedRole;
  project?: string;
  permissions?: Permission[];
  gone?: AbortSignal;
}

export const scoped = (agentId: string, more: Scope = {}) =>
  callerAs({
    claims: {
      role: more.role ?? 'agent',
      agentId,
      project: more.project ?? null,
      permissions: more.permissions ?? ['remember', 'recall'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
    ...(more.gone && { gone: more.gone }),
  });
