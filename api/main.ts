/** The server's process: takes the home, opens the store, serves, and keeps in touch with the engine. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { homeFolder } from '../client/home-folder.ts';
import { createConfigSource } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import type { ServerFile } from '../contract/records.ts';
import { connectOptions } from '../engine/connect-options.ts';
import { prepareNamespace } from '../engine/prepare-namespace.ts';
import { handlers, hostHandlers, watchSubagent, type Deps } from '../operations/index.ts';
import { findRunner, listRunners } from '../runners/index.ts';
import { openStore, takeHome } from '../store/index.ts';
import { startEngineLink, type LinkTarget } from '../worker/engine-link.ts';
import { logLine } from '../worker/log-line.ts';
import { createApp } from './app.ts';
import type { RunOperation } from './deps.ts';
import { homeSecret } from './home-keys.ts';
import { startKeeper } from './keeper.ts';
import { choosePort, listen } from './listen.ts';
import { createSecretsBox } from './secrets-box.ts';

const built = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

async function serve(): Promise<void> {
  const { values: flags } = parseArgs({ options: { port: { type: 'string' } } });
  const environment = readEnvironment(process.env);
  const home = homeFolder(environment.home);
  const paths = homePaths(home);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const release = takeHome(home);
  const config = createConfigSource(home);
  const secret = homeSecret(paths);
  const secrets = createSecretsBox(paths.secrets);
  const store = openStore(paths.database);
  const { version } = JSON.parse(readFileSync(built('../package.json'), 'utf8')) as {
    version: string;
  };
  const lookUp = { path: environment.path, demoEntry: built('runners/demo-agent/main.js') };
  const target = (): LinkTarget | null => {
    const found = connectOptions({
      home,
      environment,
      env: process.env,
      config: config.read().engine,
    });
    return found && ({ ...found } as LinkTarget);
  };

  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', (entry) => logLine(`${entry.level} ${entry.message}`)),
  });
  let url = '';
  const link = startEngineLink({
    store,
    target,
    namespace: config.read().engine.namespace,
    prepare: (connection, namespace) =>
      prepareNamespace(connection, namespace, {
        retentionDays: config.read().engine.retentionDays,
      }),
    workflowBundle: built('workflow-bundle.js'),
    sessionIdleMs: () => config.read().limits.sessionIdleSeconds * 1000,
    onChange: () => writeServerFile(),
    log: logLine,
  });
  const deps: Deps = {
    store,
    config: () => config.read(),
    paths,
    secret,
    url: () => url,
    runners: {
      find: (id) => findRunner(config.read(), id, lookUp),
      list: () => listRunners(config.read(), lookUp),
    },
    secrets,
    randomId: () => randomBytes(10).toString('hex'),
    engine: () => link.view(),
    version,
    pid: process.pid,
    startedAt: new Date().toISOString(),
  };
  const run: RunOperation = (name, caller, input) => handlers[name](deps, caller, input);
  const app = createApp({
    run,
    watch: (caller, request) => watchSubagent(deps, caller, request),
    host: {
      hello: (_, request) => hostHandlers.hello(deps, request),
      sync: (caller, request) => hostHandlers.sync(deps, caller.gone, request),
      claim: (_, request) => hostHandlers.claim(deps, request),
      report: (_, request) => hostHandlers.report(deps, request),
    },
    secret,
    allowedHosts: () => [new URL(url).host],
    version,
    log: { error: (message, details) => logLine(`${message} ${describe(details)}`) },
  });

  const asked = flags.port === undefined ? null : Number(flags.port);
  const listening = await listen(
    (request) => app.fetch(request),
    choosePort(paths, asked, config.read().server.port),
    paths,
  );
  url = `http://127.0.0.1:${listening.port}`;
  writeServerFile();

  const stopKeeper = startKeeper(store, () => config.read(), logLine);
  store.changes.listen((change) => {
    if (change.kind === 'final') void secrets.remove(change.invocationId);
  });

  function writeServerFile(): void {
    if (url === '') return;
    const { address, namespace, uiUrl } = link.view();
    const content: ServerFile = {
      url,
      pid: process.pid,
      tokenFile: paths.token,
      temporal: { address, namespace, uiUrl },
    };
    writeFileSync(`${paths.serverFile}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${paths.serverFile}.new`, paths.serverFile);
  }

  async function end(): Promise<void> {
    stopKeeper();
    await listening.close();
    await link.stop();
    await store.close();
    rmSync(paths.serverFile, { force: true });
    release();
    process.exit(0);
  }
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
}

const describe = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value instanceof Error ? value.stack : String(value)}`)
    .join(' ');

serve().catch((error: unknown) => {
  const hint = error instanceof AppError && error.hint ? `\n${error.hint}` : '';
  process.stderr.write(`offshoot server: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
  process.exit(1);
});
