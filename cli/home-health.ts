/** What the server of this home says of itself, asked once: whoever looks wants to know how it is now. */
import { createClient, discover } from '../client/index.ts';
import { AppError } from '../contract/errors.ts';
import type { Health } from '../contract/system-records.ts';

/** A server that is well answers within milliseconds; nobody who looks waits as long as one who has work for it. */
const answerMs = 2_500;

export interface HomeHealth {
  url: string | null;
  remoteUrl: string | null;
  health: Health | null;
  /** Why there is no health to show. */
  problem: AppError | null;
}

export async function homeHealth(home: string): Promise<HomeHealth> {
  let url: string | null = null;
  let remoteUrl: string | null = null;
  const signal = AbortSignal.timeout(answerMs);
  try {
    const found = discover(home);
    ({ url, remoteUrl } = found.server);
    const client = createClient({ url, token: found.token, retryMs: 0 });
    return {
      url,
      remoteUrl,
      health: await client.call('getHealth', {}, { signal }),
      problem: null,
    };
  } catch (error) {
    const problem = url !== null && signal.aborted ? silent(url, error) : error;
    if (!(problem instanceof AppError)) throw error;
    return { url, remoteUrl, health: null, problem };
  }
}

const silent = (url: string, cause: unknown) =>
  new AppError('server_unavailable', `The server at ${url} is silent: no answer in 2.5 s.`, {
    cause,
    hint: '`offshoot doctor` says what is wrong.',
  });

/** How many agents run now; null when nobody can say. */
export async function runningAgents(home: string): Promise<number | null> {
  const { health } = await homeHealth(home);
  return health === null ? null : health.hosts.reduce((sum, { busy }) => sum + busy, 0);
}
