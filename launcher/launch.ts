import { once } from 'node:events';
import { join } from 'node:path';
import { readEnvironment, type Config } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { localHostId } from '../contract/names.ts';
import { capLog } from '../engine/cap-log.ts';
import { checkHealth } from '../engine/check-health.ts';
import { isExternalEngine } from '../engine/connect-options.ts';
import { findBinary } from '../engine/find-binary.ts';
import { findDeps } from '../engine/find-deps.ts';
import { readPidFile } from '../engine/pid-file.ts';
import type { RunningProcess } from '../engine/running-process.ts';
import { startEngine, type RunningEngine } from '../engine/start-engine.ts';
import { send } from '../engine/stop-process.ts';
import { childEnvironment } from './child-environment.ts';
import { entryFile, type EntryName } from './entry.ts';
import { processNames, type LauncherEvent, type ProcessName } from './events.ts';
import { clearFailure, hopelessExitCode, readFailure } from './failure-file.ts';
import { whyUnwritable } from './home-room.ts';
import { holdLauncherFile, type HeldHome } from './launcher-file.ts';
import { livingHost } from './living-host.ts';
import { startNodeProcess } from './node-process.ts';
import { HomeGone } from './own-home.ts';
import { requireStartable } from './require-startable.ts';
import { readHealth } from './server-health.ts';
import { stopStack } from './stop-stack.ts';
import {
  HopelessStart,
  supervise,
  type SuperviseSpec,
  type Supervisor,
  type Timing,
} from './supervise.ts';

export interface LaunchOptions {
  home: string;
  /** Null: what the configuration says, or the port that the home keeps. */
  port: number | null;
  /** Read anew when a process has ended: a mistake that has come into it is why it does not come up. */
  readConfig: () => Config;
  env: Record<string, string | undefined>;
  onEvent: (event: LauncherEvent) => void;
  /** Tests start other programs with other patience. */
  entry?: (name: EntryName) => string;
  timing?: Partial<Timing>;
}

export interface Launcher {
  /** All processes are up. Rejects when one of them was given up before that. */
  ready: Promise<void>;
  /** Ends the stack in order; all later calls wait for the same end. */
  stop: (options?: { leaveAgents?: boolean }) => Promise<void>;
  /** Resolves when the stack is down, with the reason where nobody asked for it. */
  finished: Promise<Error | null>;
}

/** Logs are looked at this often; at full speed a process writes some 100 MB in this time at most. */
const capEveryMs = 10_000;

/** With the configuration as it was when the stack was started. */
type Launch = LaunchOptions & { config: Config };

/** Starts engine, server and runner host, or takes over those that live, and keeps them up. */
export async function launch(given: LaunchOptions): Promise<Launcher> {
  const options: Launch = { ...given, config: given.readConfig() };
  const { home, config, onEvent } = options;
  const held = await holdLauncherFile(home);
  // Whoever holds the home begins anew.
  clearFailure(homePaths(home).failureFile);
  await requireStartable(options).catch((error: unknown) => {
    held.release();
    throw error;
  });
  const supervisors = new Map<ProcessName, Supervisor>();
  // Its own as well: what is tried for ever is told each time.
  const logs = [...processNames, 'launcher' as const].map((name) => logFile(home, name));
  const capTimer = setInterval(() => logs.forEach((file) => capLog(file)), capEveryMs);
  let stopping: Promise<void> | null = null;
  let onFinished: (error: Error | null) => void = () => {};
  const finished = new Promise<Error | null>((resolve) => (onFinished = resolve));

  const end = async (leaveAgents: boolean, error: Error | null) => {
    const killGraceMs = config.limits.killGraceSeconds * 1000;
    held.noteStopping(killGraceMs);
    const release = async (name: ProcessName) =>
      (await supervisors.get(name)?.release())?.id ?? null;
    // All are let go first: none may be started again while the others end.
    const [host, server, engine] = await Promise.all([
      release('host'),
      release('server'),
      release('engine'),
    ]);
    const how = { home, leaveAgents, killGraceMs, onEvent, isOwnHome: held.isOwn };
    await stopStack({ host, server, engine }, how);
    clearInterval(capTimer);
    held.release();
    onFinished(error);
  };
  const stop = ({ leaveAgents = false } = {}, error: Error | null = null) =>
    (stopping ??= end(leaveAgents, error));
  held.onGone(() => void stop({}, new HomeGone(home)));

  let isUp = false;
  const onUp = () => {
    isUp = true;
    onEvent({ type: 'ready' });
  };
  const state = { isStopping: () => stopping !== null, isStackUp: () => isUp };
  const ready = startAll(options, held, supervisors, state);
  // A stack that never came up is taken down again; one that was up keeps what still works.
  ready.then(onUp).catch((error: Error) => stop({}, error));
  return { ready, stop: (how) => stop(how), finished };
}

async function startAll(
  options: Launch,
  held: HeldHome,
  supervisors: Map<ProcessName, Supervisor>,
  { isStopping, isStackUp }: { isStopping: () => boolean; isStackUp: () => boolean },
): Promise<void> {
  let giveUp: (error: Error) => void = () => {};
  const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
  // Once all are up nobody waits for it any more.
  givenUp.catch(() => {});
  const start = async (name: ProcessName, spec: Start) => {
    if (isStopping()) throw new AppError('internal', 'stopped while starting');
    const { home, onEvent, readConfig } = options;
    const timing = { ...spec.timing, ...options.timing };
    // To try whether a home can be written would bring back one that is gone.
    const whyInVain = () => (held.isOwn() ? (whyUnwritable(home) ?? mistakeIn(readConfig)) : null);
    const known = { name, logFile: logFile(home, name), onEvent, isStackUp, whyInVain };
    const startOnOwn = async (signal: AbortSignal) => {
      // The launcher is about to see it, too, and ends all.
      if (!held.isOwn()) await aborted(signal);
      signal.throwIfAborted();
      const running = await spec.start(signal);
      held.keep(noteFile(home, name), 'file' in running ? running.file : running.id);
      return running;
    };
    const supervisor = supervise({ ...known, ...spec, start: startOnOwn, timing });
    supervisors.set(name, supervisor);
    // One that was ready can be given up while the others are waited for.
    void supervisor.finished.then((error) => error !== null && giveUp(error));
    await Promise.race([supervisor.ready, givenUp]);
  };
  // The engine first: with it up, the others need no second try to connect.
  if (!isExternalEngine(readEnvironment(options.env))) await start('engine', engineStart(options));
  await Promise.all([start('server', serverStart(options)), start('host', hostStart(options))]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** While the stack is up nobody minds it: it goes on with what it has read last. */
function mistakeIn(readConfig: () => Config): string | null {
  try {
    readConfig();
    return null;
  } catch (error) {
    return (error as Error).message.split('\n')[0]!;
  }
}

type Start = Pick<SuperviseSpec, 'isHealthy' | 'isAnswering' | 'whyHopeless' | 'timing'> & {
  start: (signal: AbortSignal) => Promise<RunningProcess | RunningEngine>;
};

/** An idle stack asks Temporal for nothing on a timer below a minute. */
const askEngineMs = 60_000;

function engineStart({ home, config, env, onEvent }: Launch): Start {
  const onProgress = (line: string) => onEvent({ type: 'progress', process: 'engine', line });
  const { namespace, durable } = config.engine;
  const own = childEnvironment(env, home);
  let engine: RunningEngine | null = null;
  // Once it was in vain to download and compile, later tries only look whether one is there again.
  let mayObtain = true;
  return {
    start: async (signal) =>
      (engine = await startEngine({
        ...{ home, namespace, durable, env: own, onProgress, signal },
        findBinary: async () => {
          try {
            return await findBinary({ ...findDeps(own, onProgress), signal }, mayObtain);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            mayObtain = false;
            // Whoever waits for the first engine is told at once why there is none.
            throw engine === null ? new HopelessStart(error) : error;
          }
        },
      })),
    // It is healthy when `startEngine` gives it back.
    isHealthy: async () => true,
    isAnswering: async (patienceMs) =>
      engine !== null && (await checkHealth(engine.file.address, patienceMs)) !== null,
    timing: { askMs: askEngineMs },
  };
}

function serverStart(options: Launch): Start {
  const { home, port } = options;
  const args = port === null ? [] : ['--port', String(port)];
  return {
    start: async () => nodeProcess(options, 'server', 'api', args),
    isHealthy: async ({ id }) => (await readHealth(home))?.pid === id.pid,
    isAnswering: async (patienceMs) => (await readHealth(home, patienceMs)) !== null,
    whyHopeless: (how) =>
      how === `exit code ${hopelessExitCode}`
        ? readFailure(homePaths(home).serverFailureFile)
        : null,
  };
}

function hostStart(options: Launch): Start {
  return {
    start: async () => {
      const running = nodeProcess(options, 'host', 'worker', []);
      // One that `down --leave-agents` told to take no more work is to take work again.
      if (running.isAdopted) send(running.id, 'SIGCONT');
      return running;
    },
    isHealthy: async ({ id }) => {
      const hosts = (await readHealth(options.home))?.hosts ?? [];
      return hosts.some((host) => host.id === localHostId && host.pid === id.pid && host.live);
    },
    // It answers nobody: the server hears of it, and while there is no server its silence says nothing.
    isAnswering: async (patienceMs) => {
      const health = await readHealth(options.home, patienceMs);
      return health?.hosts.some(({ id, live }) => id === localHostId && live) ?? true;
    },
  };
}

function nodeProcess(
  { home, env, entry = entryFile }: LaunchOptions,
  name: 'server' | 'host',
  program: EntryName,
  args: string[],
): RunningProcess {
  const paths = homePaths(home);
  return startNodeProcess({
    args: [entry(program), ...args],
    env: childEnvironment(env, home),
    cwd: home,
    logFile: logFile(home, name),
    ...(name === 'server'
      ? { pidFile: paths.serverPidFile, living: readPidFile(paths.serverPidFile) }
      : { pidFile: paths.hostPidFile, living: livingHost(home) }),
  });
}

/** By which a process is found again. */
function noteFile(home: string, name: ProcessName): string {
  const { engineFile, serverPidFile, hostPidFile } = homePaths(home);
  return { engine: engineFile, server: serverPidFile, host: hostPidFile }[name];
}

function logFile(home: string, name: ProcessName | 'launcher'): string {
  return join(homePaths(home).logs, `${name}.log`);
}
