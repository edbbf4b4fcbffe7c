/** A server that can be restarted on one file, hosts and an engine that exist only here, and who calls. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../contract/config.ts';
import { subAgentWorkflowId } from '../../contract/names.ts';
import { limits } from '../../contract/limits.ts';
import { operations, type OperationInput, type OperationName } from '../../contract/operations.ts';
import { isFinal } from '../../contract/words.ts';
import { handlers, type Caller, type Deps } from '../../operations/index.ts';
import { expire } from '../../store/lifecycle/expire.ts';
import { openStore, type Store } from '../../store/index.ts';
import { statusOf, type InvocationRow } from '../../store/invocations.ts';
import { callerAs, createDeps } from '../operations/operations-fixture.ts';
import { createClock, type TestClock } from '../store/store-fixture.ts';
import { holdRemoteRun } from '../../worker/remote-lease.ts';
import { watchRows } from './watch-rows.ts';
import { VirtualEngine, type Workflow } from './virtual-engine.ts';
import { VirtualHost, type Process } from './virtual-host.ts';

/** A call that stands open: its caller waits for an ending. */
interface OpenCall {
  by: string | null;
  gone: AbortController;
}

export const homeLimits = { maxDepth: 2, maxChildren: 3 };
const patience = { hostWaitMs: 600_000, leaseMs: 600_000, stopMs: 25_000 };

export class World {
  readonly #folder = mkdtempSync(join(tmpdir(), 'offshoot-fuzz-'));
  readonly clock: TestClock = createClock();
  readonly deps: Deps;
  readonly engine: VirtualEngine;
  readonly hosts: VirtualHost[];
  calls = new Set<OpenCall>();
  #awakeSince = '';
  /** What was due at these moments is done: deadlines, and endings of what was to be stopped. */
  done = { deadlines: '', stops: '' };

  /** `template`: a store that is there already, because making one takes longer than using it. */
  constructor(template: string) {
    copyFileSync(template, join(this.#folder, 'main.db'));
    const config = configSchema.parse({ limits: homeLimits });
    this.deps = createDeps(this.#open(), this.#folder, config);
    let made = 0;
    this.deps.randomId = () => `${(made += 1)}`.padStart(4, '0');
    this.engine = new VirtualEngine(this.deps);
    this.hosts = ['local', 'other'].map((id) => new VirtualHost(this.deps, id));
    for (const host of this.hosts) {
      host.onEnd = (invocationId) => {
        for (const call of this.calls) if (call.by === invocationId) call.gone.abort();
        this.engine.release(invocationId);
      };
    }
  }

  get store(): Store {
    return this.deps.store;
  }

  async begin(slots: number): Promise<void> {
    await this.engine.reconcile();
    await this.hosts[0]!.start(slots);
    await this.ask('registerSession', { key: 'main' }, { by: null });
  }

  rows(where = '1'): InvocationRow[] {
    return this.store.db.all(`SELECT * FROM subagent_sessions WHERE ${where} ORDER BY ordinal`);
  }

  processes(): { host: VirtualHost; process: Process }[] {
    return this.hosts.flatMap((host) => host.alive.map((process) => ({ host, process })));
  }

  /** The activity of a workflow is taken, by its host or for a host elsewhere by the server: one attempt. */
  async hold(workflow: Workflow, isAnswerLost: boolean): Promise<void> {
    const { lease, of } = workflow;
    if (!lease || !('invocationId' in of)) return;
    if (lease.hostId === null) return this.#holdHere(of.invocationId, lease);
    const host = this.hosts.find((one) => one.id === lease.hostId);
    if (!host?.isUp) return;
    if (!(await host.hold(of.invocationId, isAnswerLost))) this.engine.release(of.invocationId);
    else if (!isAnswerLost) lease.isHeld = true;
  }

  async #holdHere(id: string, lease: NonNullable<Workflow['lease']>): Promise<void> {
    const run = await holdRemoteRun(this.store, id);
    if (run === null || run === 'over') return this.engine.release(id);
    lease.isHeld = true;
    void this.#releaseWhen(run.reported, id, lease);
  }

  async #releaseWhen(over: Promise<void>, id: string, lease: Workflow['lease']): Promise<void> {
    await over;
    if (this.engine.open.get(subAgentWorkflowId(id))?.lease === lease) this.engine.release(id);
  }

  /** The engine does its work: sends, asks, claims. */
  async goOn(): Promise<void> {
    for (const rows of this.engine.due()) await this.engine.relay(rows, 'good');
    for (const workflow of [...this.engine.open.values()]) {
      if (workflow.isPoked) await this.engine.step(workflow);
      if (workflow.lease?.isHeld === false) await this.hold(workflow, false);
    }
  }

  /** Invocations with a process that could ask for something: it does not stand in a call. */
  speakers(): string[] {
    const busy = new Set([...this.calls].map((call) => call.by));
    return this.hosts
      .flatMap((host) => host.alive.map(({ spec }) => spec.invocationId))
      .filter((id) => !busy.has(id));
  }

  /**
   * Asks, and comes back as soon as the call is answered or waits. Refusals are answers; anything else
   * that is thrown is a fault.
   */
  async ask<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    who: { by: string | null; idempotencyKey?: string | null },
  ): Promise<string> {
    const gone = new AbortController();
    const call: OpenCall = { by: who.by, gone };
    const caller: Caller = callerAs({
      claims:
        who.by === null
          ? { role: 'admin' }
          : { role: 'child', invocationId: who.by, agentId: 'default' },
      idempotencyKey: who.idempotencyKey ?? null,
      gone: gone.signal,
    });
    let answer = '';
    let fault: Error | null = null;
    this.calls.add(call);
    const asked = handlers[name](this.deps, caller, operations[name].input.parse(input) as never);
    asked
      .then(
        () => (answer = 'ok'),
        (error: Error & { code?: string }) => {
          answer = error.code ?? error.message;
          // A call that a dying server leaves unanswered has failed with it.
          if (error.name !== 'AppError' && !gone.signal.aborted) fault = error;
        },
      )
      .finally(() => this.calls.delete(call));
    const isLeft = () =>
      this.#standsStill(who.by) || (name === 'waitSubagents' && this.#isOver(who.by));
    while (answer === '' && !isLeft()) await turn();
    await this.rest();
    if (fault !== null) throw fault as Error;
    return answer || 'waits';
  }

  #standsStill(by: string | null): boolean {
    return this.store.db.get('SELECT 1 FROM waits WHERE waiter_id = :by', { by }) !== undefined;
  }

  /** Whose invocation is over waits as anybody else does: it holds no slot that could be lent. */
  #isOver(by: string | null): boolean {
    return by !== null && isFinal(statusOf(this.store.db, by) ?? 'failed');
  }

  /** Lets what was set off by a commit come to its end. */
  async rest(): Promise<void> {
    for (let n = 0; n < 4; n += 1) await turn();
  }

  /** What the server's timer does. */
  async tick(): Promise<void> {
    const awakeSince = this.#awakeSince;
    const now = await this.store.write((tx) => {
      expire(tx, { ...patience, awakeSince });
      return tx.now;
    });
    this.done.deadlines = now;
    // A host must have had the time to say how what it was to stop has ended.
    const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
    if (awakeSince < ago(limits.hostSilentMs)) this.done.stops = ago(patience.stopMs);
  }

  /** The server is killed and comes back; nobody who called it gets an answer. */
  async restart(): Promise<void> {
    await this.store.close();
    for (const call of this.calls) call.gone.abort();
    await this.rest();
    this.deps.store = this.#open();
    for (const { lease } of this.engine.open.values()) {
      if (lease?.hostId === null) lease.isHeld = false;
    }
    await this.engine.reconcile();
  }

  async end(): Promise<void> {
    for (const call of this.calls) call.gone.abort();
    await this.rest();
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(): Store {
    const store = openStore(join(this.#folder, 'main.db'), {
      clock: this.clock.now,
      checkpoints: false,
    });
    // Nobody pulls the plug here, and the disk would take most of the time.
    store.db.exec('PRAGMA synchronous = OFF');
    watchRows(store.db, homeLimits.maxChildren);
    this.#awakeSince = store.now();
    return store;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
