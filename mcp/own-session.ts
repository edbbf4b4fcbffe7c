/** The session that asks: known from the environment, or looked up by a child's token. */
import {
  namedBy,
  parentOf,
  type Asker,
  type AskerEnvironment,
  type OffshootClient,
} from '../client/index.ts';

/** For what only reads: a session that nobody has reported yet is none that could be read, and is made by no reader. */
export async function ownSessionOf(
  client: OffshootClient,
  asker: Asker,
  environment: AskerEnvironment,
): Promise<string | null> {
  if (asker.kind !== 'token') return namedBy(asker);
  if (environment.parentSessionId !== null) return environment.parentSessionId;
  // A host may pass on the token alone.
  const id = invocationOf(environment.token ?? '');
  return id === null ? null : (await client.call('getSubagent', { id })).sessionKey;
}

/** For what is asked of others: a host program's session is registered at first sight. */
export function registeredSessionOf(
  client: OffshootClient,
  asker: Asker,
  environment: AskerEnvironment,
  cwd: string,
): Promise<string | null> {
  return asker.kind === 'token'
    ? ownSessionOf(client, asker, environment)
    : parentOf(client, asker, cwd);
}

/** Read, not verified: the server judges the token itself with every call. */
function invocationOf(token: string): string | null {
  const body = /^off_([\w-]+)\./.exec(token)?.[1] ?? '';
  try {
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown;
    const id = (claims as { invocationId?: unknown } | null)?.invocationId;
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}
