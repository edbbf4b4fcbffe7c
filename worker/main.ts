/** The runner host's process: it owns the agents' processes, and speaks to the server over HTTP. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { exitCodeOfError, exitCodes } from '../cli/exit-codes.ts';
import { outputOf } from '../cli/process-terminal.ts';
import { reportError } from '../cli/report-error.ts';
import { createConfigSource, ownVersion } from '../config/index.ts';
import { readEnvironment } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths, hostLock } from '../contract/home.ts';
import { localHostId } from '../contract/names.ts';
import { signToken } from '../domain/token.ts';
import { plainText } from '../domain/plain-text.ts';
import { homeFolder } from '../client/home-folder.ts';
import { readServerFile } from '../client/server-file.ts';
import { takeFileLock } from '../engine/file-lock.ts';
import { folderMark } from '../engine/pid-file.ts';
import { connectOptions } from '../engine/connect-options.ts';
import { makeHome } from '../launcher/make-home.ts';
import { demoRunner, runCommand, sweepLeftRuns } from '../runners/index.ts';
import { createLogger, writeTo } from '../telemetry/logger.ts';
import type { Otlp } from '../telemetry/otlp.ts';
import { sendTelemetry } from '../telemetry/send-telemetry.ts';
import { tracedRun } from '../telemetry/traced-run.ts';
import { hostToken, localize, withPlace } from './host/elsewhere.ts';
import { makeOwnFolder } from './host/own-folder.ts';
import { startRunnerHost, type RunnerHost, type RunnerHostDeps } from './host/runner-host.ts';
import { createStoreApi, type StoreApi } from './host/store-api.ts';
import { tellOfEnd, type EndTold } from './host/tell-of-end.ts';
import { tellOfServer } from './host/tell-of-server.ts';
import { installSdkRuntime } from './sdk-runtime.ts';
import type { EngineTarget } from './poll-engine.ts';

const { values: flags } = parseArgs({
  options: {
    server: { type: 'string' },
    'token-file': { type: 'string' },
    name: { type: 'string' },
    slots: { type: 'string' },
  },
});
const environment = readEnvironment(process.env);
const home = homeFolder(environment.home);
const paths = homePaths(home);
const config = createConfigSource(home);
const log = createLogger({
  process: 'host',
  level: () => config.lastGood().logs.level,
  write: writeTo(process.stderr),
});

const slots = () => Number(flags.slots ?? config.lastGood().limits.slots);
/** To whoever started this host in a terminal; the one beside the server has nobody there. */
const say = (line: string) => {
  if (flags.server !== undefined) process.stderr.write(`${plainText(line)}\n`);
};

/** What beside-the-server and elsewhere do not share. */
type Place = Pick<
  RunnerHostDeps,
  'api' | 'hostId' | 'engine' | 'endsWhenRefused' | 'trouble' | 'killGraceMs'
> & {
  run: RunnerHostDeps['runProgram'];
};

async function start(otlp: Otlp | null): Promise<RunnerHost> {
  const place = flags.server === undefined ? besideServer() : elsewhere(flags.server);
  const folder = join(paths.hosts, place.hostId);
  makeHome(home);
  // Two hosts in one room would sweep each other's agents and take each other's claims away.
  const lock = hostLock(paths.hosts, place.hostId);
  const holder = await takeFileLock(lock);
  if (holder !== null) {
    throw new AppError(
      'home_in_use',
      `another runner host has ${home}: process ${holder.pid}. End it first.`,
      { hint: 'offshoot down ends the one of a stack.' },
    );
  }
  return startRunnerHost({
    ...place,
    bootId: randomUUID(),
    hostname: hostname(),
    pid: process.pid,
    slots,
    folder,
    folderMark: folderMark(lock),
    runProgram: tracedRun(place.run, otlp?.record ?? null),
    sweep: async (prefix) =>
      void (await sweepLeftRuns(join(folder, 'runs'), prefix, place.killGraceMs())),
    log,
  });
}

function besideServer(): Place {
  const killGraceMs = () => config.lastGood().limits.killGraceSeconds * 1000;
  const given = { home, environment, env: process.env, config: config.read().engine };
  const external = connectOptions(given);
  installSdkRuntime(log);
  return {
    api: createStoreApi(() => ({
      url: readServerFile(home).url,
      token: signToken(readFileSync(paths.secret, 'utf8').trim(), {
        role: 'host',
        hostId: localHostId,
      }),
    })),
    hostId: localHostId,
    engine: external && !external.managed ? (external as EngineTarget) : null,
    killGraceMs,
    run: async (spec, io) => {
      makeOwnFolder(spec.workspacePath, paths.work);
      return runCommand(spec, { ...io, hostEnv: process.env, killGraceMs: killGraceMs() });
    },
  };
}

/** Everything comes from the server named: what to run, and how long a lease and a grace are. */
function elsewhere(server: string): Place {
  const url = server.replace(/\/+$/, '');
  const { hostId, token } = hostToken({
    file: flags['token-file'] ?? null,
    env: environment.token,
  });
  if (flags.name !== undefined && flags.name !== hostId) {
    throw new AppError('unauthorized', `this token was made for ${hostId}, not for ${flags.name}`);
  }
  const api = createStoreApi(() => ({ url, token }));
  const connected = () => {
    const room = slots() === 1 ? '1 slot' : `${slots()} slots`;
    return `${hostId}: connected to ${url}, ${room}. Ctrl-C stops it.`;
  };
  const trouble = tellOfServer({ url, connected, say });
  let killGraceMs = config.read().limits.killGraceSeconds * 1000;
  let serverWorkFolder = '';
  const hello: StoreApi['hello'] = async (request) => {
    trouble.asks();
    const answer = await api.hello(request);
    killGraceMs = answer.killGraceSeconds * 1000;
    serverWorkFolder = answer.workFolder;
    return answer;
  };
  const demo = demoRunner(fileURLToPath(new URL('../runners/demo-agent/main.js', import.meta.url)));
  return {
    api: { ...api, hello },
    hostId,
    engine: null,
    endsWhenRefused: true,
    trouble,
    killGraceMs: () => killGraceMs,
    run: async (spec, io) => {
      const workFolder = join(paths.hosts, hostId, 'work');
      const here = { hostId, url, serverWorkFolder, workFolder, demoRunner: demo };
      const given = { ...io, hostEnv: process.env, killGraceMs };
      return withPlace(await runCommand(localize(spec, here), given), here);
    },
  };
}

function obeySignals(host: RunnerHost): EndTold {
  const told = tellOfEnd({ agents: host.agents, say });
  // Each is told before the host hears of it: afterwards its agents are about to end.
  const stop = (by: string) => {
    told.stops(by);
    host.stop();
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('Ctrl-C'));
  process.on('SIGHUP', () => {
    told.drains('SIGHUP');
    host.drain();
  });
  // Harmless to a host that is still starting, as every other signal is not.
  process.on('SIGCONT', () => {
    told.resumes();
    host.resume();
  });
  // Started by the command line, it ends with it.
  process.on('disconnect', () => stop('offshoot worker was killed'));
  return told;
}

/** As every command tells it: `offshoot worker` is one. */
function tellFailure(error: unknown): number {
  const err = outputOf(process.stderr, environment.noColor);
  return reportError({ err }, error, false, 'offshoot worker --help shows how it is called');
}

function logFailure(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof AppError ? error.hint : null;
  const said = hint ? `${message.replace(/\.$/, '')}. ${hint}` : message;
  log(`runner host failed: ${said}`, { level: 'error' });
  return error instanceof AppError ? exitCodeOfError(error.code) : exitCodes.incomplete;
}

try {
  const endpoint = config.read().telemetry.otlpEndpoint ?? environment.otlpEndpoint;
  const otlp = await sendTelemetry(endpoint, { process: 'host', version: ownVersion(), log });
  const host = await start(otlp);
  const told = obeySignals(host);
  await host.ended;
  told.over();
  await otlp?.stop();
  process.exit(0);
} catch (error) {
  process.exit(flags.server === undefined ? logFailure(error) : tellFailure(error));
}
