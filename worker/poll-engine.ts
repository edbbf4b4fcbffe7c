/** One Temporal worker, kept polling over restarts and moves of the engine. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  NativeConnection,
  Worker,
  type NativeConnectionOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Log } from '../contract/log.ts';

export interface EngineTarget {
  connection: NativeConnectionOptions;
  namespace: string;
}

export interface PollDeps {
  worker: Omit<WorkerOptions, 'connection' | 'namespace'>;
  /** Where the engine is now; a change ends the worker, and the next one goes there. */
  target(): EngineTarget | null;
  log: Log;
}

const RETRY_MS = 250;
const WATCH_MS = 100;

export async function pollEngine(deps: PollDeps, signal: AbortSignal): Promise<void> {
  let said = '';
  while (!signal.aborted) {
    try {
      const target = deps.target();
      if (target) await pollAt(target, deps, signal);
      said = '';
    } catch (error) {
      // The same trouble again and again is one line in the log.
      if (String(error) !== said) deps.log(`worker on ${deps.worker.taskQueue}: ${String(error)}`);
      said = String(error);
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

async function pollAt(target: EngineTarget, deps: PollDeps, signal: AbortSignal): Promise<void> {
  const connection = await NativeConnection.connect(target.connection);
  try {
    const worker = await Worker.create({
      ...deps.worker,
      connection,
      namespace: target.namespace,
    });
    const watch = setInterval(() => {
      const now = deps.target();
      const hasMoved = now !== null && now.connection.address !== target.connection.address;
      if ((signal.aborted || hasMoved) && worker.getState() === 'RUNNING') worker.shutdown();
    }, WATCH_MS);
    try {
      await worker.run();
    } finally {
      clearInterval(watch);
    }
  } finally {
    await connection.close();
  }
}
