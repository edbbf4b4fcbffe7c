/** Store, relay, workflows and runner host as they are, on the real engine; only the programs are played. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { agentSessionWorkflowId, subAgentWorkflowId } from '../../contract/names.ts';
import type { RunSpec } from '../../contract/run.ts';
import { prepareNamespace } from '../../engine/prepare-namespace.ts';
import { hostHandlers } from '../../operations/index.ts';
import { EngineLink } from '../../worker/engine-link.ts';
import { startRunnerHost } from '../../worker/host/runner-host.ts';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { until } from '../e2e/stack.ts';
import { withOperations, type Room, type RoomOptions } from '../operations/operations-fixture.ts';
import { succeeded } from '../operations/test-host.ts';
import { testEngine } from '../support/test-engine.ts';
import { deeds } from './deeds.ts';
import { statusOf } from './gated-programs.ts';

export interface Home extends Room {
  client: Client;
  /** How often the program of this invocation was started. */
  launches(id: string): number;
  untilLaunched(id: string, times?: number): Promise<void>;
  untilStatus(id: string, status: string): Promise<void>;
  /** Its workflow has asked for the first time, which may be after its end. */
  untilBegun(id: string): Promise<void>;
  /** The server's side of the engine goes, and comes back after the pause. */
  relink(pauseMs: number): Promise<void>;
  /** The same; it comes back when this has been done. */
  unlinked(work: () => Promise<void>): Promise<void>;
  /** Every open workflow is deleted while the server is not there, and the engine says that it is another. */
  loseEngine(): Promise<void>;
  /** Until when the engine that was lost last was one that we do not know; null while it is. */
  lostUntil(): string | null;
  /** The runner host ends what runs and goes; the next boot of it comes. */
  reboot(): Promise<void>;
}

/** What a program says; it may take its time, and must give up when the signal says so. */
export type Program = (spec: RunSpec, signal: AbortSignal) => Promise<string>;

// Once per test file; the SDK's own log would fill the screen.
installSdkRuntime(() => {});

const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const realClock = { now: () => new Date(), advance: () => {} };

export async function withHome(
  play: Program,
  use: (home: Home) => Promise<void>,
  options: RoomOptions & {
    compareMs?: number;
    sessionIdleMs?: number;
    namespace?: string;
    /** How long a program takes to end when it is told to. */
    dying?: () => Promise<void>;
    /** What a claim of the host waits for. */
    beforeClaim?: (id: string) => Promise<void>;
  } = {},
): Promise<void> {
  const { address } = await testEngine();
  const namespace = options.namespace ?? 'default';
  const target = { address, namespace, connection: { address } };
  const connection = await Connection.connect({ address });
  try {
    await withOperations(
      async (room) => {
        // Workflow ids are one namespace's, which all tests share.
        room.deps.randomId = () => randomBytes(10).toString('hex');
        const newLink = () =>
          new EngineLink({
            store: room.store,
            target: () => ({ ...target, uiUrl: null, instance: null }),
            namespace: target.namespace,
            prepare: async (to, name) => {
              const found = await prepareNamespace(to, name, { retentionDays: 1 });
              return { ...found, epoch: `${found.epoch} after ${losses} losses` };
            },
            workflowBundle: bundle,
            sessionIdleMs: () => options.sessionIdleMs ?? 60_000,
            compareMs: options.compareMs ?? 250,
            onChange: () => {
              if (link.view().connected) lostUntil ??= room.store.now();
            },
            log: () => {},
          });
        let losses = 0;
        let lostUntil: string | null = '';
        const client = new Client({ connection, namespace });
        const launched: string[] = [];
        const newHost = () =>
          startHost(
            room,
            target,
            options.slots ?? 4,
            async (spec, signal) => {
              launched.push(spec.invocationId);
              return play(spec, signal);
            },
            { dying: async () => {}, beforeClaim: async () => {}, ...options },
          );
        let link = newLink();
        let host = newHost();
        const unlinked = async (work: () => Promise<unknown>) => {
          await link.stop();
          await work();
          link = newLink();
        };
        const launches = (id: string) => launched.filter((one) => one === id).length;
        try {
          await use({
            ...room,
            client,
            launches,
            untilLaunched: async (id, times = 1) =>
              void (await until(
                async () => launches(id),
                (n) => n >= times,
              )),
            untilStatus: async (id, wanted) =>
              void (await until(
                () => room.get(id),
                ({ status }) => status === wanted,
              )),
            untilBegun: async (id) =>
              void (await until(
                async () => room.row(id).engine_state,
                (state) => state !== 'unstarted',
              )),
            relink: (pauseMs) => unlinked(() => sleep(pauseMs)),
            unlinked,
            loseEngine: () =>
              unlinked(async () => {
                losses += 1;
                lostUntil = null;
                // What is closed takes half a minute to be deleted, and nobody asks for it any more.
                const deleted = workflowsOf(room).map(async (id) => {
                  if ((await statusOf(client, id)) === 'RUNNING') await deeds.missing(client, id);
                });
                await Promise.all(deleted);
              }),
            lostUntil: () => lostUntil,
            async reboot() {
              host.stop();
              await host.ended;
              host = newHost();
            },
          });
        } finally {
          host.stop();
          await Promise.all([host.ended, link.stop()]);
        }
      },
      { ...options, clock: realClock, isHostUp: false },
    );
  } finally {
    await connection.close();
  }
}

function startHost(
  { deps, home }: Room,
  target: { namespace: string; connection: { address: string } },
  slots: number,
  play: Program,
  { dying, beforeClaim }: { dying(): Promise<void>; beforeClaim(id: string): Promise<void> },
) {
  return startRunnerHost({
    api: {
      hello: (request) => hostHandlers.hello(deps, request),
      sync: (request, signal) => hostHandlers.sync(deps, signal, request),
      claim: async (request) => {
        await beforeClaim(request.invocationId);
        return hostHandlers.claim(deps, request);
      },
      report: (request) => hostHandlers.report(deps, request),
    },
    hostId: 'local',
    bootId: randomUUID(),
    hostname: 'here',
    pid: process.pid,
    slots: () => slots,
    folder: join(home, 'hosts/local'),
    folderMark: 'here',
    runProgram: async (spec, { signal, onSpawn }) => {
      onSpawn();
      const given = new Promise<'given up'>((resolve) => {
        const giveUp = () => void dying().then(() => resolve('given up'));
        signal.addEventListener('abort', giveUp, { once: true });
      });
      const said = await Promise.race([play(spec, signal), given]);
      if (!signal.aborted) return succeeded(said);
      return succeeded('', { kind: 'cancelled', content: null, error: String(signal.reason) });
    },
    killGraceMs: () => 100,
    sweep: async () => {},
    engine: target,
    log: () => {},
  });
}

/** All that there may be of this home. */
export function workflowsOf({ store }: Pick<Room, 'store'>): string[] {
  const invocations = store.db.all<{ id: string }>('SELECT id FROM subagent_sessions');
  const sessions = store.db.all<{ agent: string; key: string }>(
    `SELECT agent_id AS agent, session_key AS key FROM sessions WHERE kind = 'external'`,
  );
  return [
    ...invocations.map(({ id }) => subAgentWorkflowId(id)),
    ...sessions.map(({ agent, key }) => agentSessionWorkflowId(agent, key)),
  ];
}
