/** How a manager finds its server and who asks, once, at the first call. */
import type { Environment } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { createClient, type ClientOptions, type OffshootClient } from './client.ts';
import { clientOnceThere } from './coming-server.ts';
import { discover, findServer } from './discover.ts';
import { homeFolder } from './home-folder.ts';
import { environmentOfProcess } from './main.ts';
import { ownSessionKey, parentOf, whoAsks } from './who-asks.ts';

export interface ManagerOptions extends Partial<ClientOptions> {
  /** The home whose server is asked, when no `url` is given. Default: OFFSHOOT_HOME, else ~/.offshoot. */
  home?: string;
}

export type Connect = () => Promise<{
  client: OffshootClient;
  /** Session key of who asks, unless the call names another. */
  parent: () => Promise<string | null>;
}>;

export function managerConnection(options: ManagerOptions): Connect {
  // Both are kept once they are known, and sought again after a failure.
  let client: OffshootClient | null = null;
  let asker = options.parentSessionId;
  return async () => {
    const environment = environmentOfProcess();
    const connected = (client ??= clientFor(options, environment));
    return {
      client: connected,
      parent: async () => {
        if (asker === undefined) asker = await defaultParent(connected, options, environment);
        return asker;
      },
    };
  };
}

function clientFor(options: ManagerOptions, environment: Environment): OffshootClient {
  const token = options.token ?? environment.token;
  const find = () =>
    createClient({
      traceparent: environment.traceparent,
      parentSessionId: ownSessionKey({ ...environment, token }),
      ...options,
      ...serverOf(options, environment),
    });
  return clientOnceThere(find, { token, retryMs: options.retryMs });
}

/** Given by the program, else by the environment (a child's), else found in the home. */
function serverOf(
  options: ManagerOptions,
  environment: Environment,
): { url: string; token: string } {
  const { url = null, token = null, home } = options;
  if (url !== null && token !== null) return { url, token };
  const known =
    home === undefined
      ? findServer(environment, homeFolder(environment.home))
      : discover(homeFolder(home));
  if (url === null || url === known.url) return { url: known.url, token: token ?? known.token };
  throw new AppError('bad_request', `A token is needed for ${url}.`, {
    hint: 'A token is sent only to the address that it belongs to: give both, or neither.',
  });
}

/** A token of the program's own says nothing about who asks; one of the environment may. */
function defaultParent(
  client: OffshootClient,
  options: ManagerOptions,
  environment: Environment,
): Promise<string | null> {
  const token = options.token ?? environment.token;
  return parentOf(client, whoAsks({ ...environment, token }), process.cwd());
}
