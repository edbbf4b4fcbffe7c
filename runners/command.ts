/** Runs any program as an agent: a spec and an AbortSignal in, events and one outcome out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../contract/limits.ts';
import type { Outcome, RunEvent, RunSpec } from '../contract/run.ts';
import { reach } from '../faults/reach.ts';
import { fillEnvironment, type HostEnvironment } from './environment.ts';
import { HeadAndTail } from './head-and-tail.ts';
import { droppedMark, readOutput, type OutputReader } from './output.ts';
import { failed, judge, stopped, type StopReason } from './outcome.ts';
import { Kin } from './kin.ts';
import { noteLeader } from './left-runs.ts';
import { listProcesses } from './processes.ts';
import { writeRunFiles } from './run-files.ts';
import { startProgram, type Exit, type Program, type Started } from './spawn.ts';
import { stopGroup } from './stop.ts';
import { sweep } from './sweep.ts';

export interface RunIo {
  /** Aborting ends the run as cancelled; the reason (`cancelled`, `lost`, …) is told in the error. */
  signal: AbortSignal;
  /** While a promise of its is open, the stream is not read any further. If it fails, so does the run. */
  onEvent(event: RunEvent): void | Promise<void>;
  /** A directory of this run's own, for its context and prompt files. Whoever made it removes it. */
  runDir: string;
  /** Found in the environment of all that the run starts, and swept by. */
  marker: string;
  hostEnv: HostEnvironment;
  killGraceMs: number;
  onSpawn?(pid: number): void;
}

/** A grandchild may hold the pipes open for ever: after the exit they get this long to run dry. */
const drainMs = 1000;
/** Enough for the end of stderr in an error message. */
const stderrTailBytes = 4 * limits.errorCharsMax;

export async function runCommand(spec: RunSpec, io: RunIo): Promise<Outcome> {
  const program = prepare(spec, io);
  if ('kind' in program) return program;
  if (io.signal.aborted)
    return { ...failed('cancelled', ''), ...stopped(abortReason(io), spec.runner) };
  const started = await startProgram(program);
  if ('kind' in started) return started;
  const leader = noteLeader(io.runDir, io.marker, started.pid);
  io.onSpawn?.(started.pid);
  reach('spawned');
  const known = leader === null ? [] : [leader];
  const kin = new Kin({ markers: [io.marker], known, group: started.pid });
  return await follow(spec, io, started, kin);
}

/** All that can be refused is refused here, before anything runs. */
function prepare(spec: RunSpec, io: RunIo): Program | Outcome {
  const { runner, prompt, workspacePath } = spec;
  const promptBytes = Buffer.byteLength(prompt);
  if (runner.promptVia === 'arg' && promptBytes > limits.argvPromptBytesMax) {
    return failed(
      'spawn_failed',
      `the prompt has ${promptBytes} bytes; as an argument it may have ${limits.argvPromptBytesMax}`,
      `Set runners.${runner.id}.promptVia to stdin or file.`,
    );
  }
  const files = writeRunFiles(spec, io.runDir);
  const filled = fillEnvironment(spec, { ...files, hostEnv: io.hostEnv, marker: io.marker });
  if (filled.unresolved.length > 0) {
    return failed(
      'unresolved_placeholder',
      `nothing is known for ${filled.unresolved.join(', ')}`,
      'Set it in the environment that Offshoot is started from, or correct the configuration.',
    );
  }
  const last =
    runner.promptVia === 'arg' ? [prompt] : files.promptFile === null ? [] : [files.promptFile];
  return {
    invocationId: spec.invocationId,
    runnerId: runner.id,
    command: runner.command,
    args: [...filled.args, ...last],
    env: filled.env,
    pathFrom: pathOrigin(spec),
    workspacePath,
    stdin: runner.promptVia === 'stdin' ? prompt : null,
  };
}

/** As the environment is filled: the caller's goes before the runner's. */
function pathOrigin({ env, runner }: RunSpec): 'host' | 'runner' | 'caller' {
  if (env['PATH'] !== undefined) return 'caller';
  return runner.env['PATH'] === undefined ? 'host' : 'runner';
}

/** From the start to the last event, and until nothing of the run is left. */
async function follow(spec: RunSpec, io: RunIo, started: Started, kin: Kin): Promise<Outcome> {
  const half = limits.resultBytesMax / 2;
  const stdout = new HeadAndTail(half, half);
  const stderr = new HeadAndTail(0, stderrTailBytes);
  const ending = watchForEnd(spec, io, started, kin);
  const read = (name: 'stdout' | 'stderr', kept: HeadAndTail) =>
    readOutput(started[name], {
      name,
      onBytes: (chunk) => kept.push(chunk),
      onEvent: io.onEvent,
      onFailure: ending.giveUp,
    });
  const readers = [read('stdout', stdout), read('stderr', stderr)] as const;

  const exit = await ending.exited;
  reach('program exited');
  await runDry(readers);
  started.release();
  await Promise.all(readers.map((reader) => reader.ended));
  const mark = droppedMark({
    stdout: readers[0].droppedBytes(),
    stderr: readers[1].droppedBytes(),
  });
  const { stopped: why, failure } = await ending.settled();
  await sweep(kin, { graceMs: io.killGraceMs, since: started.since });
  reach('run swept');
  if (failure !== null) throw failure.error;
  if (mark !== null) await io.onEvent(mark);
  return judge(spec.runner, {
    exitCode: exit.code,
    signal: exit.signal,
    stopped: why,
    stdout,
    stderr,
  });
}

interface EndState {
  stopped: StopReason | null;
  /** The receiver of the events threw. */
  failure: { error: unknown } | null;
}

/** The first reason to stop counts, and none does once the program has ended by itself. */
function watchForEnd(spec: RunSpec, io: RunIo, started: Started, kin: Kin) {
  const state: EndState = { stopped: null, failure: null };
  let hasExited = false;
  let stopping: Promise<void> = Promise.resolve();

  // The tree can be seen only while its root lives, and a marker may be gone or not to be read.
  const look = async () => void kin.find(await listProcesses(started.since));
  const end = () => stopGroup(started.pid, started.exited, { graceMs: io.killGraceMs, look });
  const stop = (why: StopReason) => {
    if (state.stopped !== null || hasExited) return;
    state.stopped = why;
    stopping = end();
  };
  const onAbort = () => stop(abortReason(io));
  const timer = setTimeout(() => stop({ kind: 'timed_out' }), spec.runner.timeoutSeconds * 1000);
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (io.signal.aborted) onAbort();

  const exited: Promise<Exit> = started.exited.then((exit) => {
    hasExited = true;
    clearTimeout(timer);
    io.signal.removeEventListener('abort', onAbort);
    return exit;
  });
  return {
    exited,
    giveUp: (error: unknown) => {
      state.failure ??= { error };
      stop({ kind: 'cancelled', why: 'its output could not be recorded' });
    },
    settled: async () => {
      await stopping;
      return state;
    },
  };
}

/** Time in which the receiver held reading back does not count: what was written is still there. */
async function runDry(readers: readonly OutputReader[]): Promise<void> {
  const from = Date.now();
  const held = () => readers.map((reader) => reader.heldMs()).reduce((a, b) => a + b, 0);
  const heldBefore = held();
  let hasEnded = false;
  const ended = Promise.all(readers.map((reader) => reader.ended)).then(() => (hasEnded = true));
  while (!hasEnded && Date.now() - from - (held() - heldBefore) < drainMs) {
    await Promise.race([ended, sleep(20)]);
  }
}

function abortReason(io: RunIo): StopReason {
  const { reason } = io.signal as { reason: unknown };
  return { kind: 'cancelled', why: typeof reason === 'string' ? reason : 'cancelled' };
}
