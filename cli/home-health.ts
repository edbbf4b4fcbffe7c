/** What the server of this home says of itself, asked once: whoever looks wants to know how it is now. */
import { createClient, discover } from '../client/index.ts';
import { AppError } from '../contract/errors.ts';
import type { Health } from '../contract/system-records.ts';

export interface HomeHealth {
  url: string | null;
  health: Health | null;
  /** Why there is no health to show. */
  problem: AppError | null;
}

export async function homeHealth(home: string): Promise<HomeHealth> {
  let url: string | null = null;
  try {
    const found = discover(home);
    url = found.url;
    const client = createClient({ url, token: found.token, retryMs: 0 });
    return { url, health: await client.call('getHealth', {}), problem: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { url, health: null, problem: error };
  }
}

/** How many agents run now; null when nobody can say. */
export async function runningAgents(home: string): Promise<number | null> {
  const { health } = await homeHealth(home);
  return health === null ? null : health.hosts.reduce((sum, { busy }) => sum + busy, 0);
}
