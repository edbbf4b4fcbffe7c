import { existsSync } from 'node:fs';
import type { ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Config, Environment } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
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
  const loaded = loadNamed(env, environment);
  const { address = 'localhost:7233', tls, metadata, apiKey } = loaded.connectionOptions;
  const wrong = addressMistake(address);
  if (wrong !== null) throw unusable(environment, wrong);
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

function addressMistake(address: string): string | null {
  const form = addressForm.exec(address);
  if (form === null) return `its address must be a host or host:port, not ${address}`;
  const [, port] = form;
  if (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return `its port must be 1 to 65535, not ${port}`;
}

/** The only form that a connection takes; anything else fails at each try. */
const addressForm = /^(?:\[[^\]\s]+\]|[^:/\s]+)(?::(\d+))?$/;

function loadNamed(env: ConnectDeps['env'], environment: Environment) {
  const { temporalProfile: profile, temporalConfigFile: file } = environment;
  // Temporal's loader takes a file that is not there for one that says nothing: that would be localhost.
  if (file !== null && !existsSync(file)) throw unusable(environment, `there is no file ${file}`);
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  try {
    return loadClientConnectConfig({ overrideEnvVars, ...(profile && { profile }) });
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw unusable(environment, why, error);
  }
}

function unusable(named: Environment, why: string, cause?: unknown): AppError {
  const names = [
    ...(named.temporalAddress === null ? [] : ['TEMPORAL_ADDRESS']),
    ...(named.temporalProfile === null ? [] : ['TEMPORAL_PROFILE']),
    ...(named.temporalConfigFile === null ? [] : ['TEMPORAL_CONFIG_FILE']),
  ].join(', ');
  return new AppError('config_invalid', `the Temporal that is named cannot be used: ${why}`, {
    cause,
    hint: `It is named by ${names}: correct that, or unset it to have a Temporal kept for you.`,
  });
}
