import type { ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Config, Environment } from '../contract/config.ts';
import { readEngineFile } from './engine-file.ts';

export interface EngineConnection {
  address: string;
  namespace: string;
  uiUrl: string | null;
  /** For `Connection.connect` and `NativeConnection.connect` alike. */
  connection: Pick<ConnectionOptions, 'tls' | 'metadata' | 'apiKey'> & { address: string };
  /** Whether it is our own dev server. */
  managed: boolean;
  /** Names one process of our own dev server: another one may have forgotten what this one knew. */
  instance: string | null;
}

export interface ConnectDeps {
  home: string;
  environment: Environment;
  /** Read by Temporal's own loader: it knows many more variables than we do. */
  env: Record<string, string | undefined>;
  config: Config['engine'];
}

/** How to reach the engine now. Null while our own dev server has not been started yet. */
export function connectOptions(deps: ConnectDeps): EngineConnection | null {
  return isExternalEngine(deps.environment) ? externalOptions(deps) : managedOptions(deps.home);
}

/** Whether the user names a Temporal, so that no dev server is started. */
export function isExternalEngine(environment: Environment): boolean {
  const { temporalAddress, temporalProfile, temporalConfigFile } = environment;
  return (temporalAddress ?? temporalProfile ?? temporalConfigFile) !== null;
}

function managedOptions(home: string): EngineConnection | null {
  const file = readEngineFile(home);
  if (file === null) return null;
  const { address, namespace, uiUrl, pid, start } = file;
  const instance = `${pid}@${start}`;
  return { address, namespace, uiUrl, connection: { address }, managed: true, instance };
}

function externalOptions({ env, environment, config }: ConnectDeps): EngineConnection {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const profile = environment.temporalProfile;
  const loaded = loadClientConnectConfig({ overrideEnvVars, ...(profile && { profile }) });
  const { address = 'localhost:7233', tls, metadata, apiKey } = loaded.connectionOptions;
  return {
    address,
    namespace: loaded.namespace ?? config.namespace,
    uiUrl: config.uiUrl ?? null,
    connection: {
      address,
      ...(tls !== undefined && { tls }),
      ...(metadata !== undefined && { metadata }),
      ...(apiKey !== undefined && { apiKey }),
    },
    managed: false,
    instance: null,
  };
}
