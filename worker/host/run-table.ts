/** The runs of this boot: each owns its process, whoever holds a lease on it. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../contract/log.ts';
import { runMarker } from '../../contract/names.ts';
import type { Outcome, RunEvent, RunSpec } from '../../contract/run.ts';
import type { RunKey } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { Reporter, type UnnumberedReport } from './reporter.ts';
import { openSpool } from './spool.ts';
import type { StoreApi } from './store-api.ts';

export type StopReason = 'cancelled' | 'not_yours' | 'lost';

export interface Run extends RunKey {
  abort: AbortController;
  /** Its program has ended; what it said may still have to reach the store. */
  isOver: boolean;
  /** Resolves when the outcome has reached the store. Never rejects: nobody may be listening. */
  reported: Promise<void>;
  /** Resolves when the program has ended and what it said is in the store, or at least on disk. */
  safe: Promise<void>;
}

export interface RunTableDeps {
  api: Pick<StoreApi, 'claim' | 'report'>;
  hostId: string;
  bootId: string;
  homeId(): string;
  /** The host's own room on disk. */
  folder: string;
  runProgram(
    spec: RunSpec,
    io: {
      signal: AbortSignal;
      onEvent(event: RunEvent): Promise<void>;
      onSpawn(): void;
      runDir: string;
      marker: string;
    },
  ): Promise<Outcome>;
  log: Log;
  /** Tests are less patient. */
  unheardMs?: number;
}

export class RunTable {
  readonly #deps: RunTableDeps;
  readonly #runs = new Map<string, Run>();
  /** One claim at a time for an invocation: a second lease must find what the first has started. */
  readonly #claims = new Map<string, Promise<Run | 'over' | null>>();
  #isClosed = false;

  constructor(deps: RunTableDeps) {
    this.#deps = deps;
  }

  /** Claims and starts, or attaches. `over`: it has no place here any more; null: it has, and cannot be had now. */
  hold(invocationId: string): Promise<Run | 'over' | null> {
    const known = this.#claims.get(invocationId);
    if (known) return known;
    const claiming = this.#claim(invocationId).finally(() => this.#claims.delete(invocationId));
    this.#claims.set(invocationId, claiming);
    return claiming;
  }

  list(): RunKey[] {
    return [...this.#runs.values()].map(({ invocationId, runNo }) => ({ invocationId, runNo }));
  }

  counts(): { running: number; untold: number } {
    const untold = [...this.#runs.values()].filter((run) => run.isOver).length;
    return { running: this.#runs.size - untold, untold };
  }

  /** Told to end, and not over: to say so again changes nothing. */
  stopping(): RunKey[] {
    const stopping = [...this.#runs.values()].filter((run) => run.abort.signal.aborted);
    return stopping.map(({ invocationId, runNo }) => ({ invocationId, runNo }));
  }

  stop(key: RunKey, reason: StopReason): void {
    this.#runs.get(nameOf(key))?.abort.abort(reason);
  }

  stopAll(reason: StopReason): void {
    for (const run of this.#runs.values()) run.abort.abort(reason);
  }

  /** From here on nothing is started; what is being claimed is given back. */
  close(): void {
    this.#isClosed = true;
  }

  open(): void {
    this.#isClosed = false;
  }

  /** Resolves when no claim is under way and every run is safe. */
  async settled(): Promise<void> {
    while (this.#claims.size > 0) await Promise.allSettled(this.#claims.values());
    await Promise.all([...this.#runs.values()].map((run) => run.safe));
  }

  async #claim(invocationId: string): Promise<Run | 'over' | null> {
    const mine = [...this.#runs.values()].find((run) => run.invocationId === invocationId);
    if (mine) return mine;
    if (this.#isClosed) throw new Error('this host takes no more work');
    const { api, hostId, bootId } = this.#deps;
    const answer = await api.claim({ hostId, bootId, invocationId });
    if (answer.kind === 'nothing') return answer.isHere ? null : 'over';
    reach('claim answered');
    if (answer.kind === 'run' && !this.#isClosed) return this.#start(answer.run);
    const runNo = answer.kind === 'run' ? answer.run.runNo : answer.runNo;
    await this.#disown({ invocationId, runNo });
    return null;
  }

  /** A claim that no process was started for, as its answer came late or never: it may be made again. */
  async #disown(key: RunKey): Promise<void> {
    const reporter = this.#reporterOf(key, () => {});
    const why = 'its claim was not answered in time';
    await reporter.push({ type: 'lost', why, wasStarted: false });
    await reporter.safe();
  }

  #start(spec: RunSpec): Run {
    const key = { invocationId: spec.invocationId, runNo: spec.runNo };
    const abort = new AbortController();
    const reporter = this.#reporterOf(key, () => abort.abort('not_yours'));
    const ended = this.#follow(spec, reporter, abort.signal);
    const run: Run = {
      ...key,
      abort,
      isOver: false,
      safe: ended.then(() => reporter.safe()),
      reported: ended
        .then(() => reporter.drained())
        .then(() => void this.#runs.delete(nameOf(key))),
    };
    void ended.then(() => (run.isOver = true));
    this.#runs.set(nameOf(key), run);
    return run;
  }

  /** From the start of the program to its ending in the reporter's hands. */
  async #follow(spec: RunSpec, reporter: Reporter, signal: AbortSignal): Promise<void> {
    const { folder, log } = this.#deps;
    const runDir = join(folder, 'runs', `${spec.invocationId}-${spec.runNo}`);
    const ending = await this.#run(spec, reporter, signal, runDir);
    reach('result parsed');
    // Not awaited: being held back is for programs, and this one has ended.
    void reporter.push(ending);
    removeQuietly(runDir, log);
  }

  async #run(
    spec: RunSpec,
    reporter: Reporter,
    signal: AbortSignal,
    runDir: string,
  ): Promise<UnnumberedReport> {
    const { runProgram, homeId, hostId } = this.#deps;
    let wasStarted = false;
    try {
      mkdirSync(runDir, { recursive: true, mode: 0o700 });
      const outcome = await runProgram(spec, {
        signal,
        onEvent: (event) => reporter.push({ type: 'event', event }),
        onSpawn: () => (wasStarted = true),
        runDir,
        marker: runMarker(homeId(), hostId, spec.invocationId, spec.runNo),
      });
      const isGivenUp = signal.reason === 'lost' && outcome.kind === 'cancelled';
      if (!isGivenUp) return { type: 'outcome', outcome };
      return { type: 'lost', why: 'its runner host was stopped', wasStarted };
    } catch (error) {
      // A fault of ours, not the program's: what became of it is not known.
      return { type: 'lost', why: String(error), wasStarted };
    }
  }

  #reporterOf(run: RunKey, onLost: () => void): Reporter {
    const { hostId, bootId, folder } = this.#deps;
    const spool = openSpool(join(folder, 'spool'), { ...run, bootId });
    return new Reporter({ ...this.#deps, host: { hostId, bootId }, run, spool, onLost });
  }
}

export const nameOf = (run: RunKey) => `${run.invocationId}/${run.runNo}`;

function removeQuietly(folder: string, log: Log): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // The next boot of the host removes what is left here; the run must be reported now.
    log(`${folder} could not be removed: ${String(error)}`);
  }
}
