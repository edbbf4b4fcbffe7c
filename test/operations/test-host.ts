/** A runner host without processes: it speaks to the server as the real one does, through its handlers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, RunSpec } from '../../contract/run.ts';
import type { ClaimAnswer, Report, ReportAnswer, RunKey } from '../../contract/store-api.ts';
import { hostHandlers, type Deps } from '../../operations/index.ts';
import { load } from '../../store/admission.ts';
import { findHost } from '../../store/hosts.ts';

export type Script = (spec: RunSpec) => Promise<Outcome | string>;

export interface TestHost {
  id: string;
  boot: string;
  hello(slots?: number): Promise<unknown>;
  sync(runs?: RunKey[], draining?: boolean): ReturnType<typeof hostHandlers.sync>;
  tryClaim(id: string): Promise<ClaimAnswer>;
  /** The run that is to be; an error where there is none. */
  claim(id: string): Promise<RunSpec>;
  report(run: RunKey, reports: Report[]): Promise<ReportAnswer>;
  say(run: RunKey, n: number, text: string): Promise<ReportAnswer>;
  end(run: RunKey, outcome: Outcome | string): Promise<ReportAnswer>;
  /** Claims and ends at once. */
  play(id: string, outcome: Outcome | string): Promise<RunSpec>;
  lose(run: RunKey, wasStarted?: boolean): Promise<ReportAnswer>;
  /** Claims whatever is admitted and plays the script for it, until the returned function is called. */
  work(script: Script): { peak(): number; stop(): Promise<void> };
}

/** The number of a run's ending report; events come before it. */
export const LAST = 1000;

export function createHost(deps: Deps, id = 'local', boot = 'boot-1'): TestHost {
  const self = { hostId: id, bootId: boot };
  const present = new AbortController().signal;

  const host: TestHost = {
    id,
    boot,
    hello: (slots = 4) =>
      hostHandlers.hello(deps, { ...self, slots, hostname: 'test', pid: process.pid }),
    sync: (runs = [], draining = false) =>
      hostHandlers.sync(deps, present, { ...self, runs, heard: [], draining, waitSeconds: 0 }),
    tryClaim: (invocationId) => hostHandlers.claim(deps, { ...self, invocationId }),
    async claim(invocationId) {
      const answer = await host.tryClaim(invocationId);
      if (answer.kind !== 'run') throw new Error(`${invocationId}: ${JSON.stringify(answer)}`);
      return answer.run;
    },
    report: ({ invocationId, runNo }, reports) =>
      hostHandlers.report(deps, { ...self, invocationId, runNo, reports }),
    say: (run, n, text) => {
      const event = { stream: 'stdout', text, at: deps.store.now() } as const;
      return host.report(run, [{ type: 'event', n, event }]);
    },
    end: (run, outcome) =>
      host.report(run, [
        {
          type: 'outcome',
          n: LAST,
          outcome: typeof outcome === 'string' ? succeeded(outcome) : outcome,
        },
      ]),
    async play(invocationId, outcome) {
      const spec = await host.claim(invocationId);
      await host.end(spec, outcome);
      return spec;
    },
    lose: (run, wasStarted = true) =>
      host.report(run, [{ type: 'lost', n: LAST, why: 'it was pulled out', wasStarted }]),
    work: (script) => work(deps, host, script),
  };
  return host;
}

function work(deps: Deps, host: TestHost, script: Script) {
  const under = new Set<Promise<void>>();
  let peak = 0;
  let isOver = false;

  async function look(): Promise<void> {
    while (!isOver) {
      for (const id of admitted(deps, host.id)) {
        const answer = await host.tryClaim(id);
        if (answer.kind !== 'run') continue;
        peak = Math.max(peak, load(deps.store, findHost(deps.store.db, host.id)!).working);
        const run = playOne(answer.run).finally(() => under.delete(run));
        under.add(run);
      }
      await sleep(2);
    }
  }

  async function playOne(spec: RunSpec): Promise<void> {
    const outcome = await script(spec).catch((error: unknown) => failed(String(error)));
    await host.end(spec, outcome);
  }

  const looking = look();
  return {
    peak: () => peak,
    async stop() {
      isOver = true;
      await looking;
      await Promise.all(under);
    },
  };
}

function admitted(deps: Deps, hostId: string): string[] {
  return deps.store.db
    .all<{ id: string }>(
      `SELECT id FROM subagent_sessions s WHERE host_id = :hostId
         AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.invocation_id = s.id AND r.state = 'live')
       ORDER BY ordinal`,
      { hostId },
    )
    .map((row) => row.id);
}

const nothing = {
  content: null,
  tokenUsage: null,
  error: null,
  errorCode: null,
  errorHint: null,
  exitCode: null,
  signal: null,
};

export function succeeded(content: string, more: Partial<Outcome> = {}): Outcome {
  return { ...nothing, kind: 'succeeded', content, exitCode: 0, ...more };
}

export function failed(error: string, more: Partial<Outcome> = {}): Outcome {
  return { ...nothing, kind: 'failed', error, errorCode: 'exit_nonzero', exitCode: 1, ...more };
}
