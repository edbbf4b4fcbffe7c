import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningProcess } from '../engine/running-process.ts';
import { AppError } from '../contract/errors.ts';
import { readableLine } from '../contract/log.ts';
import { lastLines, logSize } from '../engine/cap-log.ts';
import { stopProcess } from '../engine/stop-process.ts';
import type { LauncherEvent, ProcessName } from './events.ts';

export interface SuperviseSpec {
  name: ProcessName;
  /** Adopts the living process or starts one. A start that throws counts as a death. */
  start: (signal: AbortSignal) => Promise<RunningProcess>;
  /** Asked after each start until it says yes. */
  isHealthy: (running: RunningProcess) => Promise<boolean>;
  /** Asked from then on, for as long as it lives. Without it only the end of the process counts. */
  isAnswering?: (patienceMs: number) => Promise<boolean>;
  /** Asked when it has ended: an error means that another start would end in the same way. */
  whyHopeless?: (how: string) => Error | null;
  /** Whether all that belongs together was up once: until then somebody waits to be told. */
  isStackUp: () => boolean;
  /**
   * Asked when one has ended and the stack was up before: a trouble that is not its own, in words. It is told,
   * and while there is one no ending is without hope.
   */
  whyInVain?: () => string | null;
  logFile: string;
  onEvent: (event: LauncherEvent) => void;
  timing?: Partial<Timing>;
}

export interface Supervisor {
  /** Healthy for the first time. Rejects when it is given up or stopped before that. */
  ready: Promise<void>;
  /** Resolves when it is not looked after any more: with the error when it was given up. */
  finished: Promise<Error | null>;
  /** From here on nothing is started again. Answers the process, which goes on. */
  release: () => Promise<RunningProcess | null>;
}

export interface Timing {
  delayMsMin: number;
  delayMsMax: number;
  /** Healthy for this long, it has earned a quick restart again. */
  steadyMs: number;
  /** This many deaths in this time, before the stack was up, are a crash loop. */
  deathsMax: number;
  deathsMs: number;
  healthPollMs: number;
  /** How often a healthy process is asked whether it still answers. */
  askMs: number;
  /** How long an answer may take. A machine under load makes nobody wait for so long again and again. */
  patienceMs: number;
  /** One that has not answered is asked again after this long, */
  askAgainMs: number;
  /** and this many silences in a row mean that it hangs. */
  silencesMax: number;
}

/** A process that hangs will hardly obey; one that was only slow gets this long to end in order. */
const hungGraceMs = 2_000;

const defaults: Timing = {
  delayMsMin: 100,
  delayMsMax: 5_000,
  steadyMs: 30_000,
  deathsMax: 5,
  deathsMs: 60_000,
  healthPollMs: 50,
  askMs: 10_000,
  patienceMs: 10_000,
  askAgainMs: 10_000,
  silencesMax: 3,
};

/** Thrown by a start that another try cannot mend: it is given up at once, with the cause. */
export class HopelessStart extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

/**
 * Keeps one process up: restarts it with growing pauses. Until the stack was up a crash loop ends that, for
 * somebody waits to be told; then it is tried for ever, for nobody looks who could start it again.
 */
export function supervise(spec: SuperviseSpec): Supervisor {
  const stopping = new AbortController();
  const life: Life = { spec, timing: { ...defaults, ...spec.timing }, current: null, logFrom: 0 };
  let onReady: () => void = () => {};
  let onFailed: (error: Error) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve;
    onFailed = reject;
  });
  // Whoever only looks at `finished` must not be ended by a rejection that nobody awaits.
  ready.catch(() => {});
  const finished = keepUp(life, stopping.signal, onReady).then((error) => {
    onFailed(error ?? new AppError('internal', `the ${spec.name} was stopped before it was ready`));
    if (error !== null) spec.onEvent({ type: 'gave_up', process: spec.name, error });
    return error;
  });
  const release = async () => {
    stopping.abort();
    await finished;
    return life.current;
  };
  return { ready, finished, release };
}

interface Life {
  spec: SuperviseSpec;
  timing: Timing;
  current: RunningProcess | null;
  /** Where its log ended when it was started last: what stands before that is of earlier lives. */
  logFrom: number;
}

interface Ending {
  how: string;
  /** Null when it never was. */
  healthyMs: number | null;
  hopeless?: Error;
}

/** Start, wait for the end, pause, and again. The error when it is given up, null when released. */
async function keepUp(life: Life, stop: AbortSignal, onReady: () => void): Promise<Error | null> {
  const { spec, timing } = life;
  let delayMs = timing.delayMsMin;
  let deaths: number[] = [];
  while (!stop.aborted) {
    const { how: itself, healthyMs, hopeless = null } = await liveOnce(life, stop, onReady);
    if (stop.aborted) return null;
    const isUp = spec.isStackUp();
    const inVain = isUp ? (spec.whyInVain?.() ?? null) : null;
    const how = inVain === null ? itself : `${itself}; ${inVain}`;
    if (hopeless !== null && inVain === null) return hopeless;
    const now = Date.now();
    deaths = isUp ? [] : [...deaths, now].filter((at) => now - at < timing.deathsMs);
    if (deaths.length >= timing.deathsMax) return crashLoop(life, deaths.length, how);
    if (healthyMs !== null && healthyMs >= timing.steadyMs) delayMs = timing.delayMsMin;
    spec.onEvent({ type: 'died', process: spec.name, how, restartInMs: delayMs });
    await pause(delayMs, stop);
    delayMs = Math.min(delayMs * 2, timing.delayMsMax);
  }
  return null;
}

/** One process from its start to its end, or to the moment when we let go of it. */
async function liveOnce(life: Life, stop: AbortSignal, onReady: () => void): Promise<Ending> {
  const { spec, timing } = life;
  let running: RunningProcess;
  life.logFrom = logSize(spec.logFile);
  try {
    running = await spec.start(stop);
  } catch (error) {
    if (error instanceof HopelessStart) {
      return { how: error.message, healthyMs: null, hopeless: error.cause };
    }
    return { how: error instanceof Error ? error.message : String(error), healthyMs: null };
  }
  life.current = running;
  spec.onEvent({
    type: running.isAdopted ? 'adopted' : 'started',
    process: spec.name,
    pid: running.id.pid,
  });
  const over = new AbortController();
  let letGo: (how: string) => void = () => {};
  const released = new Promise<string>((resolve) => (letGo = resolve));
  const onStop = () => {
    over.abort();
    letGo('released');
  };
  stop.addEventListener('abort', onStop);
  if (stop.aborted) onStop();
  const ended = running.ended.then((how) => {
    over.abort();
    life.current = null;
    return how;
  });
  const healthyAt = await waitHealthy(spec, running, timing.healthPollMs, over.signal);
  if (healthyAt !== null) {
    spec.onEvent({ type: 'healthy', process: spec.name, pid: running.id.pid });
    onReady();
    void endWhenHung(spec, running, timing, over.signal);
  }
  const how = await Promise.race([ended, released]);
  stop.removeEventListener('abort', onStop);
  const hopeless = stop.aborted ? null : (spec.whyHopeless?.(how) ?? null);
  const healthyMs = healthyAt === null ? null : Date.now() - healthyAt;
  return { how, healthyMs, ...(hopeless ? { hopeless } : {}) };
}

/** A process that lives and does not answer serves nobody, and would never be started again. */
async function endWhenHung(
  { name, isAnswering, onEvent }: SuperviseSpec,
  running: RunningProcess,
  { askMs, patienceMs, askAgainMs, silencesMax }: Timing,
  over: AbortSignal,
): Promise<void> {
  if (!isAnswering) return;
  let silences = 0;
  while (silences < silencesMax) {
    await pause(silences === 0 ? askMs : askAgainMs, over);
    if (over.aborted) return;
    silences = (await isAnswering(patienceMs)) ? 0 : silences + 1;
  }
  if (over.aborted) return;
  onEvent({ type: 'hangs', process: name, pid: running.id.pid });
  await stopProcess(running.id, hungGraceMs);
}

async function waitHealthy(
  spec: SuperviseSpec,
  running: RunningProcess,
  pollMs: number,
  over: AbortSignal,
): Promise<number | null> {
  while (!over.aborted) {
    if (await spec.isHealthy(running)) return Date.now();
    await pause(pollMs, over);
  }
  return null;
}

/** The last life stands for all of them: they said the same. */
function crashLoop({ spec, logFrom }: Life, deaths: number, how: string): AppError {
  const said = lastLines(spec.logFile, { from: logFrom }).map(readableLine).join('\n');
  // A start that failed may have said them already.
  const lines = how.includes(said) ? '' : `:\n${said}`;
  const message = `the ${spec.name} ended ${deaths} times in a row (${how})${lines}`;
  const code = spec.name === 'engine' ? 'engine_unavailable' : 'server_unavailable';
  return new AppError(code, message, { hint: `Its whole log is ${spec.logFile}` });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Being woken early is what the signal is for.
  await sleep(ms, undefined, { signal }).catch(() => {});
}
