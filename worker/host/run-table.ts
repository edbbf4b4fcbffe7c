/** The runs of this boot: each owns its process, whoever holds a lease on it. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runMarker } from '../../contract/names.ts';
import type { Outcome, RunEvent, RunSpec } from '../../contract/run.ts';
import type { RunKey } from '../../contract/store-api.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { openSpool } from './spool.ts';
import type { StoreApi } from './store-api.ts';

export type StopReason = 'cancelled' | 'not_yours' | 'lost';

export interface Run extends RunKey {
  abort: AbortController;
  reported: Promise<void>;
}

export interface RunTableDeps {
  api: StoreApi;
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
      runDir: string;
      marker: string;
    },
  ): Promise<Outcome>;
}

export interface RunTable {
  /** Claims and starts, or attaches; null when the store has nothing for us. */
  hold(invocationId: string): Promise<Run | null>;
  list(): RunKey[];
  stop(key: RunKey, reason: StopReason): void;
  stopAll(reason: StopReason): void;
  /** Resolves when no run is left. */
  empty(): Promise<void>;
}

export function createRunTable(deps: RunTableDeps): RunTable {
  const { api, hostId, bootId } = deps;
  const host = { hostId, bootId };
  const runs = new Map<string, Run>();
  /** One claim at a time for an invocation: a second lease must find what the first has started. */
  const claims = new Map<string, Promise<Run | null>>();
  const spoolFolder = join(deps.folder, 'spool');

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
    const answer = await api.claim({ ...host, invocationId });
    if (answer.kind === 'run') return start(answer.run);
    if (answer.kind === 'attach') await disown({ invocationId, runNo: answer.runNo });
    return null;
  }

  /** A claim whose answer never reached us: no process was started for it, so it may be made again. */
  async function disown(run: RunKey): Promise<void> {
    const reporter = reporterOf(run, () => {});
    await reporter.push({ type: 'lost', why: 'the claim was not answered', wasStarted: false });
    await reporter.drained();
  }

  function start(spec: RunSpec): Run {
    const key = { invocationId: spec.invocationId, runNo: spec.runNo };
    const abort = new AbortController();
    const reporter = reporterOf(key, () => abort.abort('not_yours'));
    const run: Run = { ...key, abort, reported: Promise.resolve() };
    run.reported = follow(spec, reporter, abort).finally(() => runs.delete(nameOf(key)));
    runs.set(nameOf(key), run);
    return run;
  }

  async function follow(spec: RunSpec, reporter: Reporter, abort: AbortController): Promise<void> {
    const runDir = join(deps.folder, 'runs', `${spec.invocationId}-${spec.runNo}`);
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    try {
      const outcome = await deps.runProgram(spec, {
        signal: abort.signal,
        onEvent: (event) => reporter.push({ type: 'event', event }),
        runDir,
        marker: runMarker(deps.homeId(), hostId, spec.invocationId, spec.runNo),
      });
      await reporter.push(
        abort.signal.reason === 'lost' && outcome.kind === 'cancelled'
          ? { type: 'lost', why: 'its runner host was stopped', wasStarted: true }
          : { type: 'outcome', outcome },
      );
    } catch (error) {
      // A fault of ours, not the program's: what became of it is not known.
      await reporter.push({ type: 'lost', why: String(error), wasStarted: true });
    }
    await reporter.drained();
    rmSync(runDir, { recursive: true, force: true });
  }

  function reporterOf(run: RunKey, onLost: () => void): Reporter {
    const spool = openSpool(spoolFolder, { ...run, bootId });
    return createReporter({ api, host, run, spool, onLost });
  }

  return {
    hold,
    list: () => [...runs.values()].map(({ invocationId, runNo }) => ({ invocationId, runNo })),
    stop: (key, reason) => runs.get(nameOf(key))?.abort.abort(reason),
    stopAll: (reason) => {
      for (const run of runs.values()) run.abort.abort(reason);
    },
    async empty() {
      while (runs.size > 0) await Promise.allSettled([...runs.values()].map((run) => run.reported));
    },
  };
}

const nameOf = (run: RunKey) => `${run.invocationId}/${run.runNo}`;
