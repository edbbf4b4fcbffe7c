import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { capLog, lastLines, logSize } from './cap-log.ts';
import { checkHealth } from './check-health.ts';
import { engineArguments, parseEngineArguments } from './engine-arguments.ts';
import { readEngineFile, writeEngineFile, type EngineFile } from './engine-file.ts';
import { withFileLock } from './file-lock.ts';
import type { EngineBinary } from './find-binary.ts';
import { pickPort } from './free-port.ts';
import { identifyProcess, listProcesses } from './process-identity.ts';
import { adoptProcess, spawnDetached, type RunningProcess } from './running-process.ts';
import { engineStopMs, stopProcess } from './stop-process.ts';

export interface EngineDeps {
  home: string;
  namespace: string;
  durable: boolean;
  env: Record<string, string | undefined>;
  onProgress: (line: string) => void;
  /** Ends a start that is under way. */
  signal: AbortSignal;
  /** Called only when none is running: finding one may mean building it. */
  findBinary: () => Promise<EngineBinary>;
}

export interface RunningEngine extends RunningProcess {
  file: EngineFile;
}

const host = '127.0.0.1';
/** A healthy start takes 0.2 s; a busy machine with a cold disk needs more. */
const healthyMsMax = 60_000;
/** An adopted engine that does not answer for this long is taken to hang. */
const adoptMsMax = 10_000;
const probeMs = 2_000;
const pollMs = 50;
/** A port that was free may be taken before the engine listens there: by anybody, also by parts of the engine itself. */
const portTriesMax = 5;

/** Gives back the healthy engine of this home: the living one, or a new one on the same file. */
export async function startEngine(deps: EngineDeps): Promise<RunningEngine> {
  const lock = `${homePaths(deps.home).engineFile}.lock`;
  // Two starters on one home must not both find nothing running.
  return await withFileLock(
    lock,
    ({ pid }) => deps.onProgress(`waiting for process ${pid}, which is starting the engine`),
    async () => (await adoptEngine(deps)) ?? (await spawnEngine(deps)),
  );
}

/** An engine that outlived its launcher, by pid, start time and health. One that hangs is ended. */
async function adoptEngine(deps: EngineDeps): Promise<RunningEngine | null> {
  const file = findRunning(deps.home);
  const running = file === null ? null : adoptProcess(file);
  if (file === null || running === null) return null;
  const health = await waitHealthy(deps.signal, file.address, running, adoptMsMax);
  if (health === null) {
    deps.signal.throwIfAborted();
    deps.onProgress(`the engine with pid ${file.pid} does not answer and is ended`);
    await stopProcess(running.id, engineStopMs);
    return null;
  }
  writeEngineFile(deps.home, file);
  return { ...running, file };
}

/** By its file, or by our data folder in its command line where the file was lost. */
function findRunning(home: string): EngineFile | null {
  const file = readEngineFile(home);
  if (file !== null && identifyProcess(file.pid)?.start === file.start) return file;
  const folder = `${homePaths(home).engineData}/`;
  for (const { pid, args } of listProcesses()) {
    const found = parseEngineArguments(args);
    if (found === null || !found.database.startsWith(folder)) continue;
    const id = identifyProcess(pid);
    if (id === null) continue;
    return {
      ...id,
      ...addresses(found),
      startedAt: new Date().toISOString(),
      namespace: found.namespace,
      version: /temporal-(.+)\.db$/.exec(found.database)?.[1] ?? '',
      binary: args[0] ?? '',
    };
  }
  return null;
}

async function spawnEngine(deps: EngineDeps): Promise<RunningEngine> {
  const binary = await deps.findBinary();
  for (let tries = 1; ; tries += 1) {
    const begun = await spawnOnce(deps, binary);
    if ('file' in begun) return begun;
    deps.signal.throwIfAborted();
    if (tries < portTriesMax && begun.log.includes('address already in use')) continue;
    throw new AppError('engine_unavailable', `the engine did not become healthy:\n${begun.log}`, {
      hint: `Its whole log is ${begun.logFile}`,
    });
  }
}

/** Its last words, where it did not become healthy. */
interface Failed {
  log: string;
  logFile: string;
}

async function spawnOnce(deps: EngineDeps, binary: EngineBinary): Promise<RunningEngine | Failed> {
  const { engineData, logs } = homePaths(deps.home);
  const logFile = join(logs, 'engine.log');
  mkdirSync(engineData, { recursive: true, mode: 0o700 });
  capLog(logFile);
  const before = readEngineFile(deps.home);
  // Kept over restarts, so that addresses that people and agents noted stay good.
  const [wanted, uiWanted] = [portOf(before?.address), portOf(before?.uiUrl)];
  const port = await pickPort(host, wanted, uiWanted);
  const uiPort = await pickPort(host, uiWanted, port);
  // The server never migrates a database: each of its versions gets a file of its own.
  const database = join(engineData, `temporal-${binary.version.server}.db`);
  const { namespace, durable } = deps;
  const args = engineArguments({ database, host, port, uiPort, namespace, durable });
  const { env, home } = deps;
  deps.signal.throwIfAborted();
  const logFrom = logSize(logFile);
  const about = {
    ...addresses({ host, port, uiPort }),
    startedAt: new Date().toISOString(),
    namespace,
    version: binary.version.server,
    binary: binary.path,
  };
  const running = spawnDetached({
    ...{ command: binary.path, args, env, cwd: home, logFile },
    onSpawn: (id) => writeEngineFile(home, { ...id, ...about }),
  });
  const file: EngineFile = { ...running.id, ...about };
  const health = await waitHealthy(deps.signal, file.address, running, healthyMsMax);
  if (health !== null) return { ...running, file };
  await stopProcess(running.id, engineStopMs);
  return { log: lastLines(logFile, { from: logFrom }).join('\n'), logFile };
}

function addresses({ host: ip, port, uiPort }: { host: string; port: number; uiPort: number }) {
  return { address: `${ip}:${port}`, uiUrl: `http://${ip}:${uiPort}` };
}

function portOf(address: string | undefined): number | null {
  return Number(/:(\d+)$/.exec(address ?? '')?.[1]) || null;
}

/** Null when it has ended or does not answer in time. */
async function waitHealthy(
  signal: AbortSignal,
  address: string,
  running: RunningProcess,
  withinMs: number,
) {
  const deadline = Date.now() + withinMs;
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  while (!isOver && !signal.aborted && Date.now() < deadline) {
    const health = await checkHealth(address, probeMs);
    if (health !== null) return health;
    await sleep(pollMs);
  }
  return null;
}
