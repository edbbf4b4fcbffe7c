/** The server's process: takes the home, opens the store, serves, and keeps in touch with the engine. */
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  checkDatabase,
  createBackups,
  finishRestore,
  rescueWhenLost,
  startSchedule,
} from '../backup/index.ts';
import { startSendingKept } from '../cli/hook/send-kept.ts';
import { homeFolder, userFolder } from '../client/home-folder.ts';
import { createConfigSource, ownVersion } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import type { ServerFile, StoreCheck } from '../contract/system-records.ts';
import { asDiskTrouble } from '../domain/disk-trouble.ts';
import { connectOptions } from '../engine/connect-options.ts';
import { takeHome } from '../engine/home-lock.ts';
import { writeJsonFile } from '../engine/pid-file.ts';
import { prepareNamespace } from '../engine/prepare-namespace.ts';
import { reach } from '../faults/reach.ts';
import { hopelessExitCode, writeFailure } from '../launcher/failure-file.ts';
import {
  createOneAtATime,
  dropOldSecrets,
  SharedReads,
  transcriptRoots,
  type Deps,
} from '../operations/index.ts';
import { makeHome } from '../launcher/make-home.ts';
import { findRunner, listRunners } from '../runners/index.ts';
import { startSearch } from '../search/start-search.ts';
import { openStore, type OnCommit, type Store } from '../store/index.ts';
import { createLifeLog } from '../telemetry/life-log.ts';
import { createLogger, writeTo } from '../telemetry/logger.ts';
import { prometheusText } from '../telemetry/prometheus-text.ts';
import { sendTelemetry } from '../telemetry/send-telemetry.ts';
import { createServerMetrics, type ServerMetrics } from '../telemetry/server-metrics.ts';
import { createStoreSpans } from '../telemetry/store-spans.ts';
import { EngineLink, type LinkTarget } from '../worker/engine-link.ts';
import { installSdkRuntime } from '../worker/sdk-runtime.ts';
import { createApp } from './app.ts';
import type { ApiLog } from './deps.ts';
import { homeSecret } from './home-keys.ts';
import { startKeeper } from '../worker/keeper.ts';
import { listen, ownHosts } from './listen.ts';
import { overOperations } from './over-operations.ts';
import { createSecretsBox } from './secrets-box.ts';
import { keepServerFile } from './server-file.ts';
import { choosePort } from './server-port.ts';

const built = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const environment = readEnvironment(process.env);
const home = homeFolder(environment.home);
const paths = homePaths(home);
const config = createConfigSource(home);
const log = createLogger({
  process: 'server',
  level: () => config.lastGood().logs.level,
  write: writeTo(process.stderr),
});

async function serve(): Promise<void> {
  const { values: flags } = parseArgs({ options: { port: { type: 'string' } } });
  const release = enterHome();
  const metrics = createServerMetrics();
  const secrets = createSecretsBox(paths.secrets);
  const store = openOwnStore(metrics);
  const { read: readMetrics, otlp } = await tell(metrics, store, () => link.view().connected);
  const search = searchIn(store);
  let [url, remoteUrl]: [string, string | null] = ['', null];

  const backups = backupsOf(store);
  installSdkRuntime(log);
  const link = linkEngine(store, () => file.tell());
  const file = keepServerFile(paths, () => writeServerFile({ url, remoteUrl }, link), log);
  const deps: Deps = {
    store,
    config: () => config.read(),
    lastGoodConfig: () => config.lastGood(),
    paths,
    secret: homeSecret(paths),
    url: () => url,
    runners: configuredRunners(),
    secrets,
    transcriptRoots: allowedRoots,
    backups,
    checkStore: () => checkOnline(store),
    measure: { accepted: metrics.accepted, waiting: metrics.waiters.enter },
    recordSpan: otlp?.record ?? null,
    search: search.search,
    oneAtATime: createOneAtATime(),
    shared: new SharedReads(),
    randomId: () => randomBytes(10).toString('hex'),
    engine: () => link.view(),
    ...thisProcess(),
  };
  await dropOldSecrets(deps, secrets.list());
  let hosts = (): string[] => [];
  const over = overOperations(deps);
  const app = createApp({
    ...over,
    watch: (caller, request) => metrics.readers.during(over.watch(caller, request)),
    watchSession: (caller, request) => metrics.readers.during(over.watchSession(caller, request)),
    allowedHosts: () => hosts(),
    metrics: () => (config.lastGood().metrics.enabled ? prometheusText(readMetrics()) : null),
    log: apiLog,
  });
  const { port: configured, listen: address } = config.read().server;
  const port = choosePort(paths, flags.port === undefined ? null : Number(flags.port), configured);
  const listening = await listen(app.fetch, { port, address }, paths);
  reach('port open');
  hosts = () => ownHosts({ port: listening.port, address }, config.lastGood().server.names);
  url = `http://127.0.0.1:${listening.port}`;
  ({ remoteUrl } = listening);
  file.tell();
  const keeper = startKeeper(store, () => config.lastGood(), log);
  const stops = [keeper, startSchedule(backups, log), watch(store), sendKept(url)];
  dropSecretsAtTheEnd(store, secrets);

  async function end(): Promise<void> {
    for (const stop of stops) stop();
    // First of all: whoever looks for the server from here on is told that there is none.
    file.remove();
    // A search may wait for a minute, which nobody shall wait for now.
    await search.stop();
    await listening.close();
    await link.stop();
    await otlp?.stop();
    metrics.stop();
    await store.close();
    release();
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end());
}

function openOwnStore({ committed }: { committed: OnCommit }): Store {
  // Before anybody opens what may be an old database without its last commits.
  const replaced = finishRestore(paths.database);
  if (replaced !== null)
    log(`finished a restore; what was there is ${replaced}`, { level: 'info' });
  const store = openStore(paths.database, { onCommit: committed, openings: paths.openings });
  reach('store opened');
  return store;
}

const sendKept = (url: string) =>
  startSendingKept({ paths, url, log: (message) => log(message, { level: 'error' }) });

/** Below which a hook may name a transcript. */
const allowedRoots = () =>
  transcriptRoots(userFolder(), paths.staging, config.lastGood().hooks.transcriptRoots);

const thisProcess = () => ({
  version: ownVersion(),
  pid: process.pid,
  startedAt: new Date().toISOString(),
});

const searchIn = (store: Store) =>
  startSearch({
    store,
    database: paths.database,
    index: paths.searchIndex,
    log: (message) => log(message, { level: 'error' }),
  });

/** What the store has seen is counted, and told to a collector where one is named. */
async function tell(metrics: ServerMetrics, store: Store, isEngineConnected: () => boolean) {
  const sources = { store, databaseFile: paths.database, isEngineConnected };
  const read = () => metrics.read(sources);
  store.changes.listen(metrics.hear);
  store.changes.listen(createLifeLog(log));
  const endpoint = config.read().telemetry.otlpEndpoint ?? environment.otlpEndpoint;
  const about = { process: 'server', version: ownVersion(), log } as const;
  const otlp = await sendTelemetry(endpoint, { ...about, metrics: { read } });
  if (otlp !== null) store.changes.listen(createStoreSpans(store.db, otlp.record));
  return { read, otlp };
}

function configuredRunners(): Deps['runners'] {
  const demoEntry = built('runners/demo-agent/main.js');
  const lookUp = { path: environment.path, hostEnv: process.env, demoEntry };
  return {
    find: (id) => findRunner(config.read(), id, lookUp),
    list: () => listRunners(config.read(), lookUp),
  };
}

/** What is in the home is its owner's alone, also where the folder was made by hand. */
function enterHome(): () => void {
  // No agent is started from this process, so none inherits the mask.
  process.umask(0o077);
  makeHome(home);
  chmodSync(home, 0o700);
  return takeHome(home);
}

function dropSecretsAtTheEnd(store: Store, secrets: Deps['secrets']): void {
  store.changes.listen((change) => {
    if (change.kind !== 'final') return;
    secrets.remove(change.invocationId).catch((error: unknown) => {
      log(`secrets of ${change.invocationId}: ${String(error)}`, {
        level: 'error',
        invocation: change.invocationId,
      });
    });
  });
}

function linkEngine(store: Store, onChange: () => void): EngineLink {
  return new EngineLink({
    store,
    target: () => {
      const known = { home, environment, env: process.env, config: config.lastGood().engine };
      return connectOptions(known) as LinkTarget | null;
    },
    namespace: config.read().engine.namespace,
    prepare: (connection, namespace) =>
      prepareNamespace(connection, namespace, {
        retentionDays: config.lastGood().engine.retentionDays,
      }),
    workflowBundle: built('workflow-bundle.js'),
    sessionIdleMs: () => config.lastGood().limits.sessionIdleSeconds * 1000,
    onChange,
    log,
  });
}

function writeServerFile(at: Pick<ServerFile, 'url' | 'remoteUrl'>, link: EngineLink): void {
  // Whoever finds the file may call: before the port is open there is nothing to be found.
  if (at.url === '') return;
  const { address, namespace, uiUrl } = link.view();
  const temporal = { address, namespace, uiUrl };
  const content: ServerFile = { ...at, pid: process.pid, tokenFile: paths.token, temporal };
  writeJsonFile(paths.serverFile, content);
}

const aboutBackups = { paths, config: () => config.lastGood().backup };

const backupsOf = (store: Store) =>
  createBackups({
    ...aboutBackups,
    now: () => new Date(),
    hold: store.holdCheckpoints,
  });

const watch = ({ db }: Store) => rescueWhenLost(db, aboutBackups, endWith);

async function checkOnline(store: Store): Promise<StoreCheck> {
  const release = store.holdCheckpoints();
  try {
    return await checkDatabase(paths.database, store.now(), store.db);
  } finally {
    release();
  }
}

const apiLog: ApiLog = {
  error: (message, details) => log(`${message} ${inWords(details)}`, { level: 'error' }),
};

const inWords = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value instanceof Error ? value.stack : String(value)}`)
    .join(' ');

/** The same file would be read again: whoever started this need not try it a second time. */
const hopeless = new Set<string>(['database_damaged', 'database_newer']);

function endWith(given: unknown): never {
  const error = asDiskTrouble(given) ?? given;
  const hint = error instanceof AppError && error.hint ? ` ${error.hint}` : '';
  const message = error instanceof Error ? error.message : String(error);
  log(`${message}${hint}`, { level: 'error' });
  if (!(error instanceof AppError) || !hopeless.has(error.code)) process.exit(1);
  writeFailure(paths.serverFailureFile, error);
  process.exit(hopelessExitCode);
}

serve().catch(endWith);
