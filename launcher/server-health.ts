import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readServerFile } from '../client/server-file.ts';
import { healthSchema, type Health } from '../contract/system-records.ts';
import { readEngineFile } from '../engine/engine-file.ts';

const answerMs = 2_000;
/** A server that answers and is still not whole after this long is reported as it is. */
const wholeMsMax = 30_000;
/** A Temporal that the user names is there, or is not: nobody starts it for us. */
const namedMsMax = 5_000;
const pollMs = 50;

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

/**
 * Whether the stack was started with a Temporal that the user names. Only the server knows: the shell of whoever
 * asks may name another one, or none.
 */
export function usesNamedEngine(home: string, { engine }: Health): boolean {
  return engine.address !== null && engine.address !== readEngineFile(home)?.address;
}

/** Whether a server that has answered for this long is worth waiting for any longer. */
export function isSettled(home: string, health: Health, answeredForMs: number): boolean {
  if (health.status === 'ready') return true;
  const waitsForNamed = usesNamedEngine(home, health) && health.hosts.some(({ live }) => live);
  return answeredForMs > (waitsForNamed ? namedMsMax : wholeMsMax);
}

/**
 * How it is once it is whole, or will not be soon. A server that ends meanwhile is started again: null only when
 * nothing answers for as long as that may take, or the stack is `over`.
 */
export async function settledHealth(home: string, over: AbortSignal): Promise<Health | null> {
  const from = Date.now();
  for (;;) {
    const health = await readHealth(home);
    const triedForMs = Date.now() - from;
    const isDone = health ? isSettled(home, health, triedForMs) : triedForMs > wholeMsMax;
    if (isDone || over.aborted) return health;
    await sleep(pollMs);
  }
}
