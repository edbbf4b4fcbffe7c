import { readFileSync } from 'node:fs';
import { readServerFile } from '../client/server-file.ts';
import { healthSchema, type Health } from '../contract/records.ts';

const answerMs = 2_000;

/** What the server of this home says of itself; null while it does not answer. */
export async function readHealth(home: string, patienceMs = answerMs): Promise<Health | null> {
  try {
    const server = readServerFile(home);
    const token = readFileSync(server.tokenFile, 'utf8').trim();
    const response = await fetch(`${server.url}/api/health`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    if (!response.ok) return null;
    return healthSchema.parse(await response.json());
  } catch {
    // Not up yet, gone, or another program on its port: all the same to whoever waits.
    return null;
  }
}
