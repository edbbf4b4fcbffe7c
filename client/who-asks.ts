/** Who asks for a sub-agent, when the caller does not say it: the first of these that is known. */
import type { Environment } from '../contract/config.ts';
import { isChildToken } from './child-token.ts';
import type { OffshootClient } from './client.ts';

export type AskerEnvironment = Pick<Environment, 'token' | 'parentSessionId' | 'harnessSession'>;

export type Asker =
  /** A child's token names its invocation: nothing has to be sent. */
  | { kind: 'token' }
  | { kind: 'session'; sessionKey: string }
  /** A host program's own session, which the server may not know yet. */
  | { kind: 'harness'; sessionKey: string; harness: string }
  | { kind: 'nobody' };

export function whoAsks(
  environment: AskerEnvironment,
  metaSession: { harness: string; sessionKey: string } | null = null,
): Asker {
  if (environment.token !== null && isChildToken(environment.token)) return { kind: 'token' };
  if (environment.parentSessionId !== null) {
    return { kind: 'session', sessionKey: environment.parentSessionId };
  }
  const host = metaSession ?? environment.harnessSession;
  return host === null ? { kind: 'nobody' } : { kind: 'harness', ...host };
}

/**
 * The session key to send along, or null. A host program's session is registered at first sight. It is one agent's:
 * where another one is named, nobody asks. Were it registered for that one, too, its hooks would not know whose it is.
 */
export async function parentOf(
  client: OffshootClient,
  asker: Asker,
  project: string,
  agentId: string | null = null,
): Promise<string | null> {
  if (asker.kind === 'session') return asker.sessionKey;
  if (asker.kind !== 'harness') return null;
  const { sessionKey: key, harness } = asker;
  // Where it works its hooks know better than the folder in which something was called.
  const session = await client.call('registerSession', { key, harness, projectIfNone: project });
  return agentId === null || agentId === session.agentId ? key : null;
}

/** For what only reads: no reader makes a session that nobody has reported yet. */
export function namedBy(asker: Asker): string | null {
  return asker.kind === 'session' || asker.kind === 'harness' ? asker.sessionKey : null;
}

/** The same without asking the server: a host program's session is not one that could stand still. */
export function ownSessionKey(environment: AskerEnvironment): string | null {
  const asker = whoAsks(environment);
  return asker.kind === 'session' ? asker.sessionKey : null;
}
