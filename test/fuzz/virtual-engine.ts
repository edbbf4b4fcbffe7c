/** Temporal as far as the store can see it: workflows that ask when poked, on the real relay and the real steps. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { createControlActivities } from '../../activities/control.ts';
import type { ChildStart } from '../../contract/steps.ts';
import { isFinal } from '../../contract/words.ts';
import { nameOfStart } from '../../domain/name-of-start.ts';
import type { Deps } from '../../operations/index.ts';
import { statusOf } from '../../store/invocations.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { dueRows, type OutboxRow } from '../../store/outbox.ts';
import { deliver } from '../../worker/relay.ts';

export interface Workflow {
  id: string;
  of: { invocationId: string } | { agentId: string; sessionKey: string };
  isPoked: boolean;
  isCancelled: boolean;
  /** Whether the store has heard of that. */
  hasTold: boolean;
  /** The host on whose queue the activity stands, null for the server's, and whether it is held there. */
  lease: { hostId: string | null; isHeld: boolean } | null;
  started: Set<string>;
  /** A session with nothing open may go to rest. */
  mayRest: boolean;
}

/** What becomes of one message: `unanswered` has its effect, but nobody hears so. Only a start is refused. */
export type Passage = 'good' | 'unreachable' | 'unanswered' | 'refused';

const around = { homeId: 'h', attributes: [], sessionIdleMs: 1000 };

export class VirtualEngine {
  readonly #deps: Deps;
  open = new Map<string, Workflow>();
  #kept = new Map<string, Workflow>();
  #epoch = 1;
  #instance = 1;
  #passage: Passage = 'good';

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** What a connect brings: the rows are sent again where they must be, and who has missed its end is told. */
  async reconcile(): Promise<void> {
    const { store } = this.#deps;
    await store.write((tx) =>
      reconcileEpoch(tx, `epoch-${this.#epoch}`, `instance-${this.#instance}`),
    );
    for (const workflow of this.open.values()) {
      if (!('invocationId' in workflow.of)) continue;
      const status = statusOf(store.db, workflow.of.invocationId);
      if (status === null || isFinal(status)) workflow.isPoked = true;
    }
  }

  /** Another database: nothing is known any more. */
  async lose(): Promise<void> {
    this.#epoch += 1;
    this.open.clear();
    this.keep();
    await this.reconcile();
  }

  keep(): void {
    this.#kept = copy(this.open);
  }

  /** The machine crashed: what came after the last flush to disk has never been. */
  async forget(): Promise<void> {
    this.#instance += 1;
    this.open = copy(this.#kept);
    // A process may have ended meanwhile: the next attempt of its lease finds that out.
    for (const { lease } of this.open.values()) if (lease) lease.isHeld = false;
    await this.reconcile();
  }

  due(): OutboxRow[][] {
    const rows = dueRows(this.#deps.store.db, this.#deps.store.now(), 500);
    return [...new Set(rows.map((row) => row.workflow_id))].map((id) =>
      rows.filter((row) => row.workflow_id === id),
    );
  }

  async relay(rows: OutboxRow[], passage: Passage): Promise<void> {
    this.#passage = passage;
    const deps = {
      store: this.#deps.store,
      client: this.#client(),
      controlQueue: 'control',
      surroundings: () => around,
      log: () => {},
    };
    try {
      await deliver(deps, rows);
    } catch (error) {
      // As the link does: the rows stay, and are sent again.
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  /** One turn of a workflow's loop: workflows/sub-agent.ts and workflows/agent-session.ts. */
  async step(workflow: Workflow): Promise<void> {
    const activities = createControlActivities({
      store: this.#deps.store,
      surroundings: () => around,
    });
    workflow.isPoked = false;
    if (!('invocationId' in workflow.of)) {
      const { agentId, sessionKey } = workflow.of;
      const next = await activities.takeNextSessionStep(agentId, sessionKey, [...workflow.started]);
      this.#startChildren(workflow, next.children);
      workflow.mayRest = next.idleMs !== null;
      return;
    }
    const { invocationId } = workflow.of;
    const { isCancelled } = workflow;
    if (isCancelled && !workflow.hasTold) await activities.cancelByHand(invocationId);
    workflow.hasTold = isCancelled;
    const next = await activities.takeNextStep(invocationId, [...workflow.started], isCancelled);
    this.#startChildren(workflow, next.children);
    if (next.step === 'done' && !next.hasMore) {
      // It waits for the request to cancel, here for as long as that takes: it has to come.
      const isAhead = next.ending.status === 'cancelled' && !isCancelled;
      if (!isAhead) this.close(workflow);
    }
    if (next.step === 'run') {
      const hostId = next.queue.split('-host-')[1] ?? null;
      if (workflow.lease && workflow.lease.hostId !== hostId) this.release(invocationId);
      else workflow.lease ??= { hostId, isHeld: false };
    }
  }

  /** The lease on a run has ended: the workflow asks again. */
  release(invocationId: string): void {
    const workflow = this.open.get(`subagent/${invocationId}`);
    if (!workflow) return;
    workflow.lease = null;
    workflow.isPoked = true;
  }

  close(workflow: Workflow): void {
    this.open.delete(workflow.id);
  }

  #startChildren(workflow: Workflow, children: ChildStart[]): void {
    for (const child of children) {
      const name = nameOfStart(child);
      if (workflow.started.has(name)) continue;
      workflow.started.add(name);
      this.#start(child.workflowId, { invocationId: child.invocationId });
    }
  }

  #start(id: string, of: Workflow['of']): void {
    if (this.open.has(id)) return;
    this.open.set(id, {
      id,
      of,
      isPoked: true,
      isCancelled: false,
      hasTold: false,
      lease: null,
      started: new Set(),
      mayRest: false,
    });
  }

  /** The calls that worker/send.ts makes. */
  #client(): Client {
    const found = (id: string) => {
      const workflow = this.open.get(id);
      if (!workflow) throw new WorkflowNotFoundError('not found', id, undefined);
      return workflow;
    };
    const pass = async (effect: () => void, isStart = false) => {
      if (this.#passage === 'unreachable') throw new Unreachable();
      if (this.#passage === 'refused' && isStart) throw grpcError(3);
      effect();
      if (this.#passage === 'unanswered') throw new Unreachable();
    };
    const poke = (workflow: Workflow) => void (workflow.isPoked = true);
    const workflow = {
      start: (_: string, options: StartOptions) =>
        pass(() => {
          const id = options.workflowId;
          if (this.open.has(id)) {
            throw new WorkflowExecutionAlreadyStartedError('started', id, 'subAgent');
          }
          this.#start(id, options.args[0] as { invocationId: string });
        }, true),
      getHandle: (id: string) => ({
        cancel: () =>
          pass(() => {
            found(id).isCancelled = true;
            poke(found(id));
          }),
        signal: () => pass(() => poke(found(id))),
      }),
      signalWithStart: (_: string, options: StartOptions) =>
        pass(() => {
          this.#start(
            options.workflowId,
            options.args[0] as { agentId: string; sessionKey: string },
          );
          poke(found(options.workflowId));
        }, true),
    };
    return { workflow } as unknown as Client;
  }
}

interface StartOptions {
  workflowId: string;
  args: unknown[];
}

class Unreachable extends Error {
  readonly code = 14;
  readonly details = 'unreachable';
  readonly metadata = {};
}

const grpcError = (code: number) =>
  Object.assign(new Error('refused'), { code, details: '', metadata: {} });

const copy = <T>(value: T): T => structuredClone(value);
