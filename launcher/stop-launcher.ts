import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { homePaths } from '../contract/home.ts';
import { readEngineFile } from '../engine/engine-file.ts';
import { homeHolder } from '../engine/home-lock.ts';
import { readPidFile } from '../engine/pid-file.ts';
import { isRunning, type ProcessId } from '../engine/process-identity.ts';
import { hasEnded, send, stopProcess } from '../engine/stop-process.ts';
import { describeEvent, processNames, type ProcessName } from './events.ts';
import { whyUnwritable } from './home-room.ts';
import { runningLauncher, startingLauncher, stoppingLauncher } from './launcher-file.ts';
import { livingHost } from './living-host.ts';
import { readHealth } from './server-health.ts';
import { stepMsMax, stopStack, type Stack } from './stop-stack.ts';

export interface LauncherStatus {
  launcher: ProcessId | null;
  processes: { name: ProcessName; pid: number | null; isRunning: boolean }[];
}

/** What lives on this home, by the files that name it. */
export function launcherStatus(home: string): LauncherStatus {
  const stack = runningStack(home);
  const processes = processNames.map((name) => ({
    name,
    pid: stack[name]?.pid ?? null,
    isRunning: stack[name] !== null,
  }));
  return { launcher: runningLauncher(home), processes };
}

export interface StopLauncherOptions {
  leaveAgents: boolean;
  onProgress: (line: string) => void;
  killGraceMs?: number;
  /** Tests are less patient. */
  stuckMsMax?: number;
}

const pollMs = 50;
const tellEveryMs = 2_000;
/** To note that it was told to end is a launcher's first act; to each later step it gets this beyond the step's own time. */
const stuckMsDefault = 15_000;
const killedMsMax = 10_000;

/** Ends the stack of this home, with its launcher or, where that was killed, without. */
export async function stopLauncher(
  home: string,
  options: StopLauncherOptions,
): Promise<{ wasRunning: boolean }> {
  const wasStarting = await endStarting(home);
  const launcher = runningLauncher(home);
  let hasObeyed = false;
  if (launcher !== null) {
    send(launcher, options.leaveAgents ? 'SIGUSR1' : 'SIGTERM');
    hasObeyed = await waitForEnd(home, launcher, options);
  }
  const left = runningStack(home);
  if (launcher === null && left.server === null) await refuseUnknown(home);
  if (options.leaveAgents && hasObeyed) left.host = null;
  const hasLeft = Object.values(left).some((id) => id !== null);
  const { killGraceMs = limits.killGraceMs, leaveAgents, onProgress } = options;
  const onEvent = (event: Parameters<typeof describeEvent>[0]) => onProgress(describeEvent(event));
  // Also with nothing left: agents may have outlived a host that was killed.
  await stopStack(left, { home, leaveAgents, killGraceMs, onEvent });
  return { wasRunning: wasStarting || launcher !== null || hasLeft };
}

/** It has started nothing yet, and listens to no signal of ours: the system ends it. */
async function endStarting(home: string): Promise<boolean> {
  const starting = startingLauncher(home);
  if (starting === null || runningLauncher(home) !== null) return false;
  // One that is stopped hears only SIGKILL.
  await stopProcess(starting, stuckMsDefault);
  return true;
}

/** The files that name the stack may have been deleted: then its server says that it lives, or its lock does. */
async function refuseUnknown(home: string): Promise<void> {
  const health = await readHealth(home);
  const holder = health === null ? homeHolder(home) : `offshoot server, pid ${health.pid}`;
  if (holder === null) return;
  throw new AppError(
    'home_in_use',
    `${home} is in use by ${holder}, and no file in ${home}/run leads there.`,
    {
      hint: 'A launcher that lives writes its files again: ask `offshoot down` once more in a few seconds. Without one, end that process.',
    },
  );
}

/** Its own patience with each process bounds each step. False when it made none and was killed: then the rest is ours. */
async function waitForEnd(
  home: string,
  launcher: ProcessId,
  { onProgress, killGraceMs, stuckMsMax = stuckMsDefault }: StopLauncherOptions,
): Promise<boolean> {
  let tellAt = Date.now() + tellEveryMs;
  let progressAt = Date.now();
  let before = '';
  let note: ReturnType<typeof stoppingLauncher> = null;
  while (isRunning(launcher)) {
    const stack = runningStack(home);
    const names = processNames.filter((name) => stack[name] !== null);
    note = stoppingLauncher(home) ?? note;
    const state = `${note !== null} ${names.join()}`;
    if (state !== before) progressAt = Date.now();
    before = state;
    const graceMs = note?.killGraceMs ?? killGraceMs ?? limits.killGraceMs;
    const patienceMs = stuckMsMax + (note === null ? 0 : stepMsMax(graceMs));
    const isLate = Date.now() - progressAt > patienceMs;
    // On a disk without room it can note nothing, and may be about it all the same.
    if (isLate && note === null && whyUnwritable(home) !== null) {
      progressAt = Date.now();
    } else if (isLate) {
      onProgress(`the launcher (pid ${launcher.pid}) does not end the stack and is killed`);
      send(launcher, 'SIGKILL');
      await hasEnded(launcher, killedMsMax);
      return false;
    }
    await sleep(pollMs);
    if (Date.now() < tellAt) continue;
    tellAt = Date.now() + tellEveryMs;
    onProgress(`still running: ${[...names, 'launcher'].join(', ')}`);
  }
  return true;
}

function runningStack(home: string): Stack {
  const ids = [livingHost(home), readPidFile(homePaths(home).serverPidFile), readEngineFile(home)];
  const [host = null, server = null, engine = null] = ids.map((id) =>
    id !== null && isRunning(id) ? { pid: id.pid, start: id.start } : null,
  );
  return { host, server, engine };
}
