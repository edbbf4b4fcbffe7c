/** The server's side of the engine: connect, prepare, reconcile, relay; again whenever it was away. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { controlQueue } from '../contract/names.ts';
import type { Health } from '../contract/records.ts';
import { createControlActivities } from '../activities/control.ts';
import type { Store } from '../store/index.ts';
import type { StepSurroundings } from '../store/lifecycle/next-step.ts';
import { reconcileEpoch } from '../store/lifecycle/rebuild.ts';
import { pollEngine, type EngineTarget } from './poll-engine.ts';
import { runRelay } from './relay.ts';

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
  onChange(): void;
  log(message: string): void;
}

export interface EngineLink {
  view(): Health['engine'];
  stop(): Promise<void>;
}

const RETRY_MS = 200;
/** A dev server answers within milliseconds; whether it is there must not be unknown for long. */
const CONNECT_MS = 1000;

export function startEngineLink(deps: EngineLinkDeps): EngineLink {
  const life = new AbortController();
  let isConnected = false;
  let problem: string | null = 'not reached yet';
  let serverVersion: string | null = null;
  let attributes: string[] = [];
  const queue = controlQueue(deps.store.homeId);
  const surroundings = (): StepSurroundings => ({
    homeId: deps.store.homeId,
    attributes,
    sessionIdleMs: deps.sessionIdleMs(),
  });

  const polling = pollEngine(
    {
      worker: {
        taskQueue: queue,
        workflowBundle: { codePath: deps.workflowBundle },
        activities: createControlActivities({ store: deps.store, surroundings }),
        maxCachedWorkflows: 500,
        maxConcurrentWorkflowTaskExecutions: 40,
        // After a kill the next step of a cached workflow would wait ten seconds by default.
        stickyQueueScheduleToStartTimeout: '1s',
        shutdownGraceTime: 0,
        shutdownForceTime: '5s',
      },
      target: deps.target,
      log: deps.log,
    },
    life.signal,
  );
  const linking = link();

  async function link(): Promise<void> {
    while (!life.signal.aborted) {
      try {
        const target = deps.target();
        if (!target) throw new Error('no engine is known yet');
        // An engine closes a connection on which nothing is said: that it ended is no trouble yet.
        await serve(target);
      } catch (error) {
        fail(String(error));
      }
      // Also after a connection that has only ended: one that ends at once must not become a spin.
      await sleep(RETRY_MS, undefined, { signal: life.signal }).catch(() => {});
    }
  }

  function fail(why: string): void {
    if (problem !== why) deps.log(`engine: ${why}`);
    problem = why;
    if (!isConnected) return;
    isConnected = false;
    deps.onChange();
  }

  async function serve(target: LinkTarget): Promise<void> {
    const connection = Connection.lazy({
      ...target.connection,
      // A message that fails is kept in the outbox: retries of the client's own would only hide it.
      interceptors: [],
      channelArgs: {
        'grpc.max_reconnect_backoff_ms': 500,
        'grpc.initial_reconnect_backoff_ms': 100,
      },
      connectTimeout: CONNECT_MS,
    } as Parameters<typeof Connection.lazy>[0]);
    const lost = new AbortController();
    const end = () => lost.abort();
    life.signal.addEventListener('abort', end, { once: true });
    try {
      await connection.ensureConnected();
      const prepared = await deps.prepare(connection, target.namespace);
      ({ serverVersion, attributes } = prepared);
      const again = await deps.store.write((tx) =>
        reconcileEpoch(tx, prepared.epoch, target.instance),
      );
      if (again > 0) deps.log(`engine: another database; ${again} open invocations are sent again`);
      isConnected = true;
      problem = null;
      deps.onChange();
      whenLost(connection, end);
      const client = new Client({ connection, namespace: target.namespace });
      await runRelay(
        { store: deps.store, client, controlQueue: queue, surroundings, log: deps.log },
        lost.signal,
      );
    } finally {
      life.signal.removeEventListener('abort', end);
      await connection.close();
    }
  }

  return {
    view: () => {
      const target = deps.target();
      return {
        connected: isConnected,
        address: target?.address ?? null,
        namespace: target?.namespace ?? deps.namespace,
        uiUrl: target?.uiUrl ?? null,
        serverVersion,
        problem,
      };
    },
    async stop() {
      life.abort();
      await Promise.all([linking, polling]);
    },
  };
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
