/** The same call twice is one child: the caller's key gives the invocation id. */
import { createHash, createHmac } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';

/** Both ids of a new managed session's first invocation share their random part. */
export const sessionKeyFor = (invocationId: string) => invocationId.replace(/^sub_/, 'ses_');

/** Without a key no other call can be the same: then there is nothing to compare it by. */
export function identify(
  { secret, randomId }: Pick<Deps, 'secret' | 'randomId'>,
  { claims, idempotencyKey }: Caller,
  operation: string,
  request: Record<string, unknown>,
): { id: string; requestHash: string | null } {
  if (idempotencyKey === null) return { id: `sub_${randomId()}`, requestHash: null };
  const id = digest([whose(claims), operation, idempotencyKey]).slice(0, 20);
  return { id: `sub_${id}`, requestHash: hashOf(secret, request) };
}

/** Two callers may use one key: those of another token's agent are other requests. */
function whose(claims: Caller['claims']): string {
  if (claims.role === 'child') return claims.invocationId;
  return 'agentId' in claims ? `agent ${claims.agentId}` : claims.role;
}

/**
 * Two requests are the same if they ask for the same; how long they wait does not matter. Keyed with
 * the home's secret: whoever reads the store must not be able to guess at the values of `context.env`.
 */
function hashOf(secret: string, request: Record<string, unknown>): string {
  const { waitSeconds: _, ...asked } = request;
  return createHmac('sha256', secret).update(inOneOrder(asked)).digest('hex');
}

const digest = (value: unknown) => createHash('sha256').update(inOneOrder(value)).digest('hex');

const inOneOrder = (value: unknown) => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]),
  );
}
