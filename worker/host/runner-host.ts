/** The life of a runner host: sweep, bring what was left, say hello, then work until told to end. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { createRunAgentActivities } from '../../activities/run-agent.ts';
import { hostMarkerPrefix, markerHome } from '../../contract/names.ts';
import type { HelloAnswer } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { pollEngine, type EngineTarget, type PollDeps } from '../poll-engine.ts';
import { flushLeftSpools } from './flush-left-spools.ts';
import { insist, type Trouble } from './insist.ts';
import { keepInTouch } from './keep-in-touch.ts';
import { RunTable, type RunTableDeps } from './run-table.ts';
import type { StoreApi } from './store-api.ts';

export interface RunnerHostDeps {
  api: StoreApi;
  hostId: string;
  bootId: string;
  hostname: string;
  pid: number;
  slots(): number;
  folder: string;
  /** Names that very folder; a copy of it has another. */
  folderMark: string;
  runProgram: RunTableDeps['runProgram'];
  /** What earlier boots have left running; null: the home that stands in their markers is not known. */
  sweep(markerPrefix: string | null): Promise<void>;
  /** What a program gets between SIGTERM and SIGKILL. */
  killGraceMs(): number;
  /** Set where the user names a Temporal; else the server says where the engine is. */
  engine: EngineTarget | null;
  /** A person started it and waits: a server that will not have it is told to them. */
  endsWhenRefused?: boolean;
  /** Hears of the server's silence in place of the log. */
  trouble?: Trouble;
  log: Log;
  /** Tests are less patient. */
  unheardMs?: number;
}

export interface RunnerHost {
  /** Takes nothing new, lets what runs finish, and then ends. */
  drain(): void;
  /** Takes work again, if it was draining: somebody has started the rest of the stack anew. */
  resume(): void;
  /** Ends what runs; its `onLost` decides what becomes of it. */
  stop(): void;
  agents(): ReturnType<RunTable['counts']>;
  ended: Promise<void>;
}

/** Beyond the graces of program and stragglers: what seeing them end and telling it may take. */
const STOP_MS = 15_000;
const RETRY_MS = 100;

export function startRunnerHost(deps: RunnerHostDeps): RunnerHost {
  const life = new AbortController();
  let polling = new AbortController();
  let isDraining = false;
  let isStopping = false;
  let known: HelloAnswer | null = null;
  let temporal: HelloAnswer['temporal'] = null;
  const runs = new RunTable({ ...deps, homeId: () => markerHome(known!.homeId, deps.folderMark) });

  async function sayHello(): Promise<void> {
    const { hostId, bootId, hostname, pid } = deps;
    known = await deps.api.hello({ hostId, bootId, hostname, pid, slots: deps.slots() });
    reach('hello answered');
    temporal = known.temporal;
    noteHome(deps, known.homeId);
  }

  async function live(): Promise<void> {
    await tidyUp(deps, life.signal);
    await insist('hello', sayHello, { ...deps, signal: life.signal });
    if (!known) return;
    const touch = keepInTouch({
      ...deps,
      runs,
      leaseMinutes: () => known!.leaseMinutes,
      isDraining: () => isDraining,
      onTemporal: (target) => (temporal = target),
      sayHello,
      signal: life.signal,
    });
    await Promise.all([touch, work(known)]);
  }

  async function work({ queue, ceiling }: HelloAnswer): Promise<void> {
    // Told by the server itself, in the answers to its long poll.
    if (queue === null) return;
    const worker = workerOptions(deps, { queue, ceiling }, runs);
    const target = () => deps.engine ?? engineAt(temporal);
    while (!life.signal.aborted) {
      await pollEngine({ worker, target, log: deps.log }, polling.signal);
      await sleep(RETRY_MS);
    }
  }

  function drain(): void {
    if (polling.signal.aborted) return;
    const stopped = polling;
    isDraining = true;
    runs.close();
    stopped.abort();
    void endWhenSettled(stopped);
  }

  /** Unless work is taken again in the meantime. */
  async function endWhenSettled(stopped: AbortController): Promise<void> {
    await runs.settled();
    if (polling === stopped) life.abort();
  }

  function resume(): void {
    if (!isDraining || isStopping || life.signal.aborted) return;
    isDraining = false;
    runs.open();
    polling = new AbortController();
  }

  function stop(): void {
    isStopping = true;
    isDraining = true;
    runs.close();
    polling.abort();
    runs.stopAll('lost');
    const patience = sleep(2 * deps.killGraceMs() + STOP_MS, undefined, {
      signal: life.signal,
    }).catch(() => {});
    void Promise.race([runs.settled(), patience]).then(() => life.abort());
  }

  return { ended: live(), drain, resume, stop, agents: () => runs.counts() };
}

function workerOptions(
  deps: RunnerHostDeps,
  { queue, ceiling }: { queue: string; ceiling: number },
  runs: RunTable,
): PollDeps['worker'] {
  return {
    taskQueue: queue,
    identity: `${deps.hostId}@${deps.hostname}:${deps.pid}`,
    activities: createRunAgentActivities({ holdRun: (id) => runs.hold(id) }),
    // Not the slots: a blocked parent holds its activity while its child needs another.
    maxConcurrentActivityTaskExecutions: ceiling,
    maxHeartbeatThrottleInterval: '2s',
    shutdownGraceTime: 0,
    shutdownForceTime: '5s',
  };
}

/** Before anything is claimed: nothing of an earlier boot may overlap what comes, or lie about. */
async function tidyUp(deps: RunnerHostDeps, signal: AbortSignal): Promise<void> {
  const { folder, hostId } = deps;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const home = recallHome(deps);
  // At once: a finished answer on disk must not wait for a straggler's grace, nor a sweep for the server.
  const both = await Promise.allSettled([
    deps.sweep(home && hostMarkerPrefix(home, hostId)),
    flushLeftSpools({ ...deps, folder: join(folder, 'spool'), signal }),
  ]);
  for (const one of both) if (one.status === 'rejected') throw one.reason;
  rmSync(join(folder, 'runs'), { recursive: true, force: true });
  reach('boot swept');
}

function engineAt(temporal: HelloAnswer['temporal']): EngineTarget | null {
  return temporal && { connection: { address: temporal.address }, namespace: temporal.namespace };
}

const homeFile = (folder: string) => join(folder, 'home-id');

/** Once: a full disk empties a file before it refuses what is to stand in it, and the next boot needs that. */
function noteHome(deps: RunnerHostDeps, homeId: string): void {
  const home = markerHome(homeId, deps.folderMark);
  if (recallHome(deps) !== home) writeFileSync(homeFile(deps.folder), home);
}

/** Null where nothing was begun here: also in a copy, for what it names are the agents of the other home. */
function recallHome({ folder, folderMark }: RunnerHostDeps): string | null {
  if (!existsSync(homeFile(folder))) return null;
  const marked = readFileSync(homeFile(folder), 'utf8');
  return marked.endsWith(markerHome('', folderMark)) ? marked : null;
}
