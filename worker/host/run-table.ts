/** The runs of this boot: each owns its process, whoever holds a lease on it. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runMarker } from '../../contract/names.ts';
import type { Outcome, RunEvent, RunSpec } from '../../contract/run.ts';
import type { RunKey } from '../../contract/store-api.ts';
import { createReporter, type Reporter, type UnnumberedReport } from './reporter.ts';
import { openSpool } from './spool.ts';
import type { StoreApi } from './store-api.ts';

export type StopReason = 'cancelled' | 'not_yours' | 'lost';

export interface Run extends RunKey {
  abort: AbortController;
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
  log(message: string): void;
}

export interface RunTable {
  /** Claims and starts, or attaches; null when the store has nothing for us. */
  hold(invocationId: string): Promise<Run | null>;
  list(): RunKey[];
  stop(key: RunKey, reason: StopReason): void;
  stopAll(reason: StopReason): void;
  /** From here on nothing is started; what is being claimed is given back. */
  close(): void;
  open(): void;
  /** Resolves when no claim is under way and every run is safe. */
  settled(): Promise<void>;
}

export function createRunTable(deps: RunTableDeps): RunTable {
  const { api, hostId, bootId } = deps;
  const host = { hostId, bootId };
  const runs = new Map<string, Run>();
  /** One claim at a time for an invocation: a second lease must find what the first has started. */
  const claims = new Map<string, Promise<Run | null>>();
  const spoolFolder = join(deps.folder, 'spool');
  let isClosed = false;

  function hold(invocationId: string): Promise<Run | null> {
    const known = claims.get(invocationId);
    if (known) return known;
    const claiming = claim(invocationId).finally(() => claims.delete(invocationId));
    claims.set(invocationId, claiming);
    return claiming;
  }

  async function claim(invocationId: string): Promise<Run | null> {
    const mine = [...runs.values()].find((run) => run.invocationId === invocationId);
    if (mine) return mine;
    if (isClosed) throw new Error('this host takes no more work');
    const answer = await api.claim({ ...host, invocationId });
    if (answer.kind === 'nothing') return null;
    if (answer.kind === 'run' && !isClosed) return start(answer.run);
    const runNo = answer.kind === 'run' ? answer.run.runNo : answer.runNo;
    await disown({ invocationId, runNo });
    return null;
  }

  /** A claim that no process was started for, as its answer came late or never: it may be made again. */
  async function disown(run: RunKey): Promise<void> {
    const reporter = reporterOf(run, () => {});
    const why = 'its claim was not answered in time';
    await reporter.push({ type: 'lost', why, wasStarted: false });
    await reporter.safe();
  }

  function start(spec: RunSpec): Run {
    const key = { invocationId: spec.invocationId, runNo: spec.runNo };
    const abort = new AbortController();
    const reporter = reporterOf(key, () => abort.abort('not_yours'));
    const ended = follow(spec, reporter, abort);
    const run: Run = {
      ...key,
      abort,
      safe: ended.then(() => reporter.safe()),
      reported: ended.then(() => reporter.drained()).then(() => void runs.delete(nameOf(key))),
    };
    runs.set(nameOf(key), run);
    return run;
  }

  /** From the start of the program to its ending in the reporter's hands. */
  async function follow(spec: RunSpec, reporter: Reporter, abort: AbortController): Promise<void> {
    const runDir = join(deps.folder, 'runs', `${spec.invocationId}-${spec.runNo}`);
    const ending = await run(spec, reporter, abort, runDir);
    // Not awaited: being held back is for programs, and this one has ended.
    void reporter.push(ending);
    removeQuietly(runDir, deps.log);
  }

  async function run(
    spec: RunSpec,
    reporter: Reporter,
    abort: AbortController,
    runDir: string,
  ): Promise<UnnumberedReport> {
    let wasStarted = false;
    try {
      mkdirSync(runDir, { recursive: true, mode: 0o700 });
      const outcome = await deps.runProgram(spec, {
        signal: abort.signal,
        onEvent: (event) => reporter.push({ type: 'event', event }),
        onSpawn: () => (wasStarted = true),
        runDir,
        marker: runMarker(deps.homeId(), hostId, spec.invocationId, spec.runNo),
      });
      const isGivenUp = abort.signal.reason === 'lost' && outcome.kind === 'cancelled';
      if (!isGivenUp) return { type: 'outcome', outcome };
      return { type: 'lost', why: 'its runner host was stopped', wasStarted };
    } catch (error) {
      // A fault of ours, not the program's: what became of it is not known.
      return { type: 'lost', why: String(error), wasStarted };
    }
  }

  function reporterOf(key: RunKey, onLost: () => void): Reporter {
    const spool = openSpool(spoolFolder, { ...key, bootId });
    return createReporter({ api, host, run: key, spool, onLost, log: deps.log });
  }

  return {
    hold,
    list: () => [...runs.values()].map(({ invocationId, runNo }) => ({ invocationId, runNo })),
    stop: (key, reason) => runs.get(nameOf(key))?.abort.abort(reason),
    stopAll: (reason) => {
      for (const one of runs.values()) one.abort.abort(reason);
    },
    close: () => void (isClosed = true),
    open: () => void (isClosed = false),
    async settled() {
      while (claims.size > 0) await Promise.allSettled(claims.values());
      await Promise.all([...runs.values()].map((one) => one.safe));
    },
  };
}

const nameOf = (run: RunKey) => `${run.invocationId}/${run.runNo}`;

function removeQuietly(folder: string, log: (message: string) => void): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    // The next boot of the host removes what is left here; the run must be reported now.
    log(`${folder} could not be removed: ${String(error)}`);
  }
}
