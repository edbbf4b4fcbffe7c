import { readFileSync } from 'node:fs';
import { homePaths } from '../contract/home.ts';
import {
  healthSchema,
  serverFileSchema,
  type Health,
  type ServerFile,
} from '../contract/records.ts';

const answerMs = 2_000;

/** What the server of this home says of itself; null while it does not answer. */
export async function readHealth(home: string, patienceMs = answerMs): Promise<Health | null> {
  const server = readServerFile(home);
  if (server === null) return null;
  try {
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

export function readServerFile(home: string): ServerFile | null {
  try {
    const text = readFileSync(homePaths(home).serverFile, 'utf8');
    return serverFileSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
