/** The session that asks: known from the environment, looked up by a child's token, or registered. */
import {
  parentOf,
  type Asker,
  type AskerEnvironment,
  type OffshootClient,
} from '../client/index.ts';

export async function ownSessionOf(
  client: OffshootClient,
  asker: Asker,
  environment: AskerEnvironment,
  cwd: string,
): Promise<string | null> {
  if (asker.kind !== 'token') return parentOf(client, asker, cwd);
  if (environment.parentSessionId !== null) return environment.parentSessionId;
  // A host may pass on the token alone.
  const id = invocationOf(environment.token ?? '');
  return id === null ? null : (await client.call('getSubagent', { id })).sessionKey;
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
