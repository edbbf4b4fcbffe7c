/** The client of the server in charge: the one that a child's environment names, else the home's. */
import {
  createClient,
  ownSessionKey,
  parentOf,
  whoAsks,
  type ClientOptions,
  type OffshootClient,
} from '../client/index.ts';
import { clientOnceThere } from '../client/coming-server.ts';
import { findServer } from '../client/discover.ts';
import { runningLauncher } from '../launcher/launcher-file.ts';
import type { CliDeps } from './deps.ts';

/** Shorter absences are not worth a word. */
const tellAfterMs = 1_000;

export function connect(deps: CliDeps): OffshootClient {
  const { environment, home } = deps;
  let isTold = false;
  const tell = (what: string, { sinceMs, retryMs }: { sinceMs: number; retryMs: number }) => {
    if (isTold || sinceMs < tellAfterMs) return;
    isTold = true;
    deps.err.write(`${what}; trying for ${Math.round(retryMs / 1000)} s.\n`);
  };
  const find = () =>
    createClient({
      ...serverOf(deps),
      traceparent: environment.traceparent,
      parentSessionId: ownSessionKey(environment),
      onRetry: (away) => tell(`The server at ${away.url} does not answer`, away),
    });
  const onWait = (away: { sinceMs: number; retryMs: number }) =>
    tell(`The server of ${home} is being started`, away);
  return clientOnceThere(find, { token: environment.token, onWait });
}

function serverOf({
  environment,
  home,
}: CliDeps): Pick<ClientOptions, 'url' | 'token' | 'retryMs'> {
  const { url, token, server } = findServer(environment, home);
  // A server that was stopped does not come back by itself; one with a launcher does.
  const isComing = server === null || isAlive(server.pid) || runningLauncher(home) !== null;
  return { url, token, ...(isComing ? {} : { retryMs: 0 }) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Session key of whoever sits here: an agent's own is in its environment. */
export async function ownSession(
  deps: CliDeps,
  client: OffshootClient,
  agent?: string,
): Promise<string | null> {
  return deps.environment.parentSessionId ?? (await askingSession(deps, client, { agent }));
}

/** Session key of who asks: named on the command line, else as token and environment say. */
export async function askingSession(
  deps: CliDeps,
  client: OffshootClient,
  named: { parent?: string | undefined; agent?: string | undefined },
): Promise<string | null> {
  const asker = whoAsks(deps.environment);
  return named.parent ?? (await parentOf(client, asker, deps.cwd, named.agent));
}
