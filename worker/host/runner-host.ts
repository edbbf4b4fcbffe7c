/** The life of a runner host: sweep, bring what was left, say hello, then work until told to end. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunAgentActivities } from '../../activities/run-agent.ts';
import { hostMarkerPrefix } from '../../contract/names.ts';
import type { HelloAnswer } from '../../contract/store-api.ts';
import { pollEngine, type EngineTarget } from '../poll-engine.ts';
import { flushLeftSpools } from './flush-left-spools.ts';
import { keepInTouch } from './keep-in-touch.ts';
import { createRunTable, type RunTable, type RunTableDeps } from './run-table.ts';
import type { StoreApi } from './store-api.ts';

export interface RunnerHostDeps {
  api: StoreApi;
  hostId: string;
  bootId: string;
  hostname: string;
  pid: number;
  slots(): number;
  folder: string;
  runProgram: RunTableDeps['runProgram'];
  sweep(markerPrefix: string): Promise<void>;
  /** Set where the user names a Temporal; else the server says where the engine is. */
  engine: EngineTarget | null;
  log(message: string): void;
}

export interface RunnerHost {
  /** Takes nothing new and lets what runs finish. */
  drain(): void;
  /** Ends what runs; its `onLost` decides what becomes of it. */
  stop(): void;
  ended: Promise<void>;
}

/** What ending processes and telling the store may take before the rest is left to the spool. */
const STOP_MS = 15_000;
const RETRY_MS = 100;

export function startRunnerHost(deps: RunnerHostDeps): RunnerHost {
  const life = new AbortController();
  const polling = new AbortController();
  let isDraining = false;
  let known: HelloAnswer | null = null;
  let temporal: HelloAnswer['temporal'] = null;
  const runs = createRunTable({ ...deps, homeId: () => known!.homeId });

  async function sayHello(): Promise<void> {
    const { hostId, bootId, hostname, pid } = deps;
    known = await deps.api.hello({ hostId, bootId, hostname, pid, slots: deps.slots() });
    temporal = known.temporal;
    rememberHome(deps.folder, known.homeId);
  }

  async function live(): Promise<void> {
    mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
    const home = recallHome(deps.folder);
    // Before anything is claimed: nothing of an earlier boot may overlap what comes.
    if (home) await deps.sweep(hostMarkerPrefix(home, deps.hostId));
    await flushLeftSpools(deps.api, deps.hostId, join(deps.folder, 'spool'), life.signal);
    await insist(sayHello, deps, life.signal);
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
    const work = pollEngine(
      {
        worker: {
          taskQueue: known.queue,
          identity: `${deps.hostId}@${deps.hostname}:${deps.pid}`,
          activities: createRunAgentActivities({ holdRun: (id) => runs.hold(id) }),
          // Not the slots: a blocked parent holds its activity while its child needs another.
          maxConcurrentActivityTaskExecutions: known.ceiling,
          maxHeartbeatThrottleInterval: '2s',
          shutdownGraceTime: 0,
          shutdownForceTime: '5s',
        },
        target: () => deps.engine ?? engineAt(temporal),
        log: deps.log,
      },
      polling.signal,
    );
    await Promise.all([touch, work]);
  }

  const ended = live();
  return {
    ended,
    drain() {
      isDraining = true;
      polling.abort();
      void runs.empty().then(() => life.abort());
    },
    stop() {
      polling.abort();
      void endRuns(runs).then(() => life.abort());
    },
  };
}

async function endRuns(runs: RunTable): Promise<void> {
  runs.stopAll('lost');
  await Promise.race([runs.empty(), sleep(STOP_MS)]);
}

async function insist(
  attempt: () => Promise<void>,
  deps: Pick<RunnerHostDeps, 'log'>,
  signal: AbortSignal,
): Promise<void> {
  let said = '';
  while (!signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      // The same reason again and again is one line in the log.
      if (String(error) !== said) deps.log(`hello: ${(said = String(error))}`);
      await sleep(RETRY_MS);
    }
  }
}

function engineAt(temporal: HelloAnswer['temporal']): EngineTarget | null {
  return temporal && { connection: { address: temporal.address }, namespace: temporal.namespace };
}

const homeFile = (folder: string) => join(folder, 'home-id');

function rememberHome(folder: string, homeId: string): void {
  writeFileSync(homeFile(folder), homeId);
}

function recallHome(folder: string): string | null {
  return existsSync(homeFile(folder)) ? readFileSync(homeFile(folder), 'utf8') : null;
}
