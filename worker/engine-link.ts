/** The server's side of the engine: connect, prepare, reconcile, relay; again whenever it was away. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import type { Log } from '../contract/log.ts';
import { controlQueue } from '../contract/names.ts';
import { limits } from '../contract/limits.ts';
import type { Health } from '../contract/system-records.ts';
import { createControlActivities } from '../activities/control.ts';
import { reach } from '../faults/reach.ts';
import { createRunAgentActivities } from '../activities/run-agent.ts';
import type { Store } from '../store/index.ts';
import type { StepSurroundings } from '../store/lifecycle/next-step.ts';
import { reconcileEpoch } from '../store/lifecycle/rebuild.ts';
import { keepComparing } from './compare-engine.ts';
import { pollEngine, type EngineTarget } from './poll-engine.ts';
import { runRelay } from './relay.ts';
import { holdRemoteRun } from './remote-lease.ts';

export interface LinkTarget extends EngineTarget {
  address: string;
  uiUrl: string | null;
  /** Another one than before: a process that may have forgotten the last moments of its predecessor. */
  instance: string | null;
}

export interface EngineLinkDeps {
  store: Store;
  /** Where the engine is now; null while that is not known. */
  target(): LinkTarget | null;
  namespace: string;
  prepare(
    connection: Connection,
    namespace: string,
  ): Promise<{ epoch: string; serverVersion: string; attributes: string[] }>;
  workflowBundle: string;
  sessionIdleMs(): number;
  /** Tests are less patient. */
  compareMs?: number;
  onChange(): void;
  log: Log;
}

/** A lease here is a timer and a promise; more processes than this on all hosts elsewhere wait for one. */
const REMOTE_LEASES_MAX = 5000;
const RETRY_MS = 200;
/** A dev server answers within milliseconds; whether it is there must not be unknown for long. */
const CONNECT_MS = 1000;
const notTriedYet = 'not reached yet';

export class EngineLink {
  readonly #deps: EngineLinkDeps;
  readonly #life = new AbortController();
  readonly #queue: string;
  readonly #ended: Promise<unknown>;
  /** Where the engine was when it was found last: each record that is told names it. */
  #target: LinkTarget | null = null;
  #isConnected = false;
  #problem: string | null = notTriedYet;
  #serverVersion: string | null = null;
  #attributes: string[] = [];

  constructor(deps: EngineLinkDeps) {
    this.#deps = deps;
    this.#queue = controlQueue(deps.store.homeId);
    this.#ended = Promise.all([this.#link(), this.#poll()]);
  }

  view(): Health['engine'] {
    const target = this.#target;
    return {
      connected: this.#isConnected,
      address: target?.address ?? null,
      namespace: target?.namespace ?? this.#deps.namespace,
      uiUrl: target?.uiUrl ?? null,
      serverVersion: this.#serverVersion,
      problem: this.#problem,
    };
  }

  async stop(): Promise<void> {
    this.#life.abort();
    await this.#ended;
  }

  /** The control worker: workflows, and the store's side of them. */
  #poll(): Promise<void> {
    const { store, workflowBundle, target, log } = this.#deps;
    const surroundings = () => this.#surroundings();
    const worker = {
      taskQueue: this.#queue,
      workflowBundle: { codePath: workflowBundle },
      buildId: buildIdOf(workflowBundle),
      activities: {
        ...createControlActivities({ store, surroundings }),
        ...createRunAgentActivities({ holdRun: (id) => holdRemoteRun(store, id) }),
      },
      maxConcurrentActivityTaskExecutions: REMOTE_LEASES_MAX,
      maxCachedWorkflows: 500,
      maxConcurrentWorkflowTaskExecutions: 40,
      // After a kill the next step of a cached workflow would wait ten seconds by default.
      stickyQueueScheduleToStartTimeout: '1s',
      shutdownGraceTime: 0,
      shutdownForceTime: '5s',
    } as const;
    return pollEngine({ worker, target, log }, this.#life.signal);
  }

  #surroundings(): StepSurroundings {
    const { store, sessionIdleMs } = this.#deps;
    const attributes = this.#attributes;
    return { homeId: store.homeId, attributes, sessionIdleMs: sessionIdleMs() };
  }

  async #link(): Promise<void> {
    const { signal } = this.#life;
    while (!signal.aborted) {
      try {
        this.#target = this.#deps.target();
        if (!this.#target) throw new Error('no engine is known yet');
        // An engine closes a connection on which nothing is said: that it ended is no trouble yet.
        await this.#serve(this.#target);
      } catch (error) {
        this.#fail(problemOf(error));
      }
      // Also after a connection that has only ended: one that ends at once must not become a spin.
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  #fail(why: string): void {
    if (this.#problem !== why) this.#deps.log(`engine: ${why}`);
    this.#problem = why;
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#deps.onChange();
  }

  async #serve(target: LinkTarget): Promise<void> {
    const connection = lazyConnection(target);
    const lost = new AbortController();
    const end = () => lost.abort();
    this.#life.signal.addEventListener('abort', end, { once: true });
    try {
      await connection.ensureConnected();
      if (this.#problem === notTriedYet) this.#problem = `${target.namespace} is being looked at`;
      await this.#prepare(connection, target);
      whenLost(connection, end);
      const { store, log } = this.#deps;
      const client = new Client({ connection, namespace: target.namespace });
      const surroundings = () => this.#surroundings();
      const both = { store, client, controlQueue: this.#queue, log };
      const everyMs = this.#deps.compareMs ?? limits.compareMs;
      const comparing = keepComparing({ ...both, everyMs }, lost.signal);
      try {
        await runRelay({ ...both, surroundings }, lost.signal);
      } finally {
        lost.abort();
        await comparing;
      }
    } finally {
      this.#life.signal.removeEventListener('abort', end);
      await connection.close();
    }
  }

  /** Before anything is sent: does this engine still know what we have told it? */
  async #prepare(connection: Connection, target: LinkTarget): Promise<void> {
    const { prepare, store, log, onChange } = this.#deps;
    const { epoch, serverVersion, attributes } = await prepare(connection, target.namespace);
    this.#serverVersion = serverVersion;
    this.#attributes = attributes;
    const again = await store.write((tx) => reconcileEpoch(tx, epoch, target.instance));
    reach('epoch reconciled');
    if (again > 0)
      log(`engine: another database; ${again} open invocations are sent again`, { level: 'info' });
    this.#isConnected = true;
    this.#problem = null;
    onChange();
  }
}

/**
 * Every workflow task's two events name the code that worked on it. The SDK's own name for that has 90
 * bytes, which would be more than a tenth of a history.
 */
function buildIdOf(workflowBundle: string): string {
  const code = readFileSync(workflowBundle);
  return `offshoot-${createHash('sha256').update(code).digest('hex').slice(0, 8)}`;
}

/** For whoever reads that the engine is not reached: what gRPC says, without its codes. */
function problemOf(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details || error.message;
  const words = error instanceof Error ? error.message : String(error);
  return words === 'Failed to connect before the deadline'
    ? `it does not answer within ${CONNECT_MS / 1000} s`
    : words;
}

function lazyConnection(target: LinkTarget): Connection {
  const options = {
    ...target.connection,
    // A message that fails is kept in the outbox: retries of the client's own would only hide it.
    interceptors: [],
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': 500,
      'grpc.initial_reconnect_backoff_ms': 100,
    },
    connectTimeout: CONNECT_MS,
  };
  return Connection.lazy(options);
}

/** gRPC's READY. Leaving it is how a dead engine is noticed without asking it on a timer. */
const READY = 2;

function whenLost(connection: Connection, onLost: () => void): void {
  // The SDK keeps its gRPC client to itself and offers no other way to hear of a lost connection.
  const { client } = connection as unknown as { client: ChannelOwner };
  const channel = client.getChannel();
  if (channel.getConnectivityState(false) !== READY) return onLost();
  channel.watchConnectivityState(READY, Infinity, () => onLost());
}

interface ChannelOwner {
  getChannel(): {
    getConnectivityState(tryToConnect: boolean): number;
    watchConnectivityState(state: number, deadline: number, changed: () => void): void;
  };
}
