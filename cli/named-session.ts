/** Which session is meant: by its key, or by the id of an invocation that runs on it. */
import type { OffshootClient } from '../client/index.ts';
import { ofAgent } from './option-values.ts';
import { usageError } from './report-error.ts';

export interface NamedSession {
  key: string;
  agentId?: string;
}

/** A session whose own key looks like an id is named with `session:` before it. */
export const isInvocationId = (name: string) => name.startsWith('sub_');

/** A session's key as it is typed where an id may stand, too: it is taken for none, and for no option. */
export const typedKey = (key: string) => (/^(?:sub_|-)/.test(key) ? `session:${key}` : key);

/** By its key alone. */
export function sessionOf(name: string, agent: string | undefined): NamedSession {
  if (name.trim() === '') {
    throw usageError('A session has a key, not an empty one.', '`offshoot sessions` shows them.');
  }
  return { key: name, ...ofAgent(agent) };
}

export async function namedSession(
  client: OffshootClient,
  name: string,
  agent: string | undefined,
): Promise<NamedSession> {
  if (!isInvocationId(name)) return sessionOf(name, agent);
  // A record knows whose it is: another agent may have a session of that key, too.
  const { sessionKey: key, agentId } = await client.call('getSubagent', { id: name });
  return { key, agentId };
}
