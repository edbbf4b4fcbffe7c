/** A runner host whose processes are entries of a map. It speaks to the server as the real one does. */
import type { Outcome, RunSpec } from '../../contract/run.ts';
import type { Report } from '../../contract/store-api.ts';
import type { Deps } from '../../operations/index.ts';
import { createHost, LAST, type TestHost } from '../operations/test-host.ts';

export interface Process {
  spec: RunSpec;
  /** Number of its last report. */
  said: number;
  /** It has ended, and the server does not know so yet. */
  ending: Report | null;
  /** Which turn of which invocation this is, also where an id comes again. */
  work: string;
}

interface Sent {
  api: TestHost;
  run: RunSpec;
  report: Report;
}

export class VirtualHost {
  readonly #deps: Deps;
  readonly id: string;
  #boot = 0;
  #api: TestHost;
  #slots = 2;
  processes = new Map<string, Process>();
  /** Every process that was really started, by any boot. */
  launched = new Set<Process>();
  /** What may come again although it was heard, or comes only now from an older boot. */
  spool: Sent[] = [];
  /** Told when a run is over and its report safe. */
  onEnd: (invocationId: string) => void = () => {};

  constructor(deps: Deps, id: string) {
    this.#deps = deps;
    this.id = id;
    this.#api = createHost(deps, id, 'boot-0');
  }

  get isUp(): boolean {
    return this.#boot > 0;
  }

  get alive(): Process[] {
    return [...this.processes.values()].filter((process) => process.ending === null);
  }

  /** A new boot: it has swept what the old one left. */
  async start(slots = this.#slots): Promise<void> {
    for (const { spec, ending } of this.processes.values()) {
      if (ending) this.spool.push({ api: this.#api, run: spec, report: ending });
      this.onEnd(spec.invocationId);
    }
    this.processes.clear();
    this.#boot += 1;
    this.#slots = slots;
    this.#api = createHost(this.#deps, this.id, `boot-${this.#boot}`);
    await this.#api.hello(slots);
  }

  /** Says that it is there, stops what it is told to stop, and begins what it is told to begin. */
  async sync(isDraining = false): Promise<void> {
    const runs = [...this.processes.values()].map(({ spec }) => spec);
    const { stop, start } = await this.#api.sync(
      runs.map(({ invocationId, runNo }) => ({ invocationId, runNo })),
      isDraining,
    );
    for (const { invocationId } of stop) {
      const process = this.processes.get(invocationId);
      if (process?.ending === null) await this.end(process, outcomeOf('cancelled'));
    }
    for (const { invocationId } of start) await this.hold(invocationId);
  }

  /** What an activity does: attaches to the process, or claims and starts. True while there is one. */
  async hold(invocationId: string, isAnswerLost = false): Promise<boolean> {
    if (this.processes.has(invocationId)) return true;
    const answer = await this.#api.tryClaim(invocationId);
    // The next attempt of the lease comes again.
    if (isAnswerLost) return true;
    if (answer.kind === 'attach') {
      await this.#api.lose({ invocationId, runNo: answer.runNo }, false);
    }
    if (answer.kind !== 'run') return false;
    const process = { spec: answer.run, said: 0, ending: null, work: this.#workOf(invocationId) };
    this.processes.set(invocationId, process);
    this.launched.add(process);
    return true;
  }

  /** What was brought to an end before is another turn; a run that was lost is not. */
  #workOf(id: string): string {
    const { work } = this.#deps.store.db.get<{ work: string }>(
      `SELECT id || ' of ' || created_at || ', turns before: ' || (SELECT count(*) FROM runs r
         WHERE r.invocation_id = s.id AND r.state = 'ended') AS work
       FROM subagent_sessions s WHERE id = :id`,
      { id },
    )!;
    return work;
  }

  async say(process: Process, isRepeated: boolean): Promise<void> {
    process.said += 1;
    for (const _ of isRepeated ? [1, 2] : [1]) {
      await this.#api.say(process.spec, process.said, `line ${process.said}`).catch(unlessStale);
    }
  }

  /** The process has ended: its report is sent, sent twice, or stays on disk for now. */
  async end(process: Process, how: Outcome | Lost, way: 'once' | 'twice' | 'later' = 'once') {
    if ('why' in how && !how.wasStarted) this.launched.delete(process);
    process.ending =
      'why' in how ? { type: 'lost', n: LAST, ...how } : { type: 'outcome', n: LAST, outcome: how };
    if (way === 'later') return;
    await this.#settle(process);
    if (way === 'twice') {
      this.spool.push({ api: this.#api, run: process.spec, report: process.ending });
    }
  }

  async flush(): Promise<void> {
    for (const sent of this.spool.splice(0)) await send(sent);
    for (const process of this.processes.values()) if (process.ending) await this.#settle(process);
  }

  async #settle(process: Process): Promise<void> {
    await send({ api: this.#api, run: process.spec, report: process.ending! });
    this.processes.delete(process.spec.invocationId);
    this.onEnd(process.spec.invocationId);
  }
}

export interface Lost {
  why: string;
  wasStarted: boolean;
}

export function outcomeOf(kind: Outcome['kind']): Outcome {
  return {
    kind,
    content: kind === 'succeeded' ? 'the answer' : null,
    tokenUsage: null,
    error: kind === 'succeeded' ? null : kind,
    errorCode: kind === 'succeeded' ? null : errorCodes[kind],
    errorHint: null,
    exitCode: null,
    signal: null,
  };
}

const errorCodes = {
  failed: 'exit_nonzero',
  timed_out: 'turn_timeout',
  cancelled: 'cancelled',
} as const;

async function send({ api, run, report }: Sent): Promise<void> {
  await api.report(run, [report]).catch(unlessStale);
}

/** A run that was deleted meanwhile is refused: then there is nothing more to report. */
function unlessStale(error: Error & { code?: string }): void {
  if (error.code !== 'stale_claim') throw error;
}
