import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { saidIn } from '../contract/log.ts';
import type { Health } from '../contract/system-records.ts';
import { capLog } from '../engine/cap-log.ts';
import { adoptProcess, spawnDetached, type RunningProcess } from '../engine/running-process.ts';
import { writePidFile } from '../engine/pid-file.ts';
import { isRunning, type ProcessId } from '../engine/process-identity.ts';
import { childEnvironment } from './child-environment.ts';
import { entryFile } from './entry.ts';
import { clearFailure, readFailure } from './failure-file.ts';
import { whyUnwritable } from './home-room.ts';
import { runningLauncher, stoppingLauncher, wasKilled } from './launcher-file.ts';
import { isSettled, readHealth } from './server-health.ts';
import { watchTrouble, type TroubleWatch } from './watch-trouble.ts';

export interface StartDetachedOptions {
  home: string;
  port: number | null;
  env: Record<string, string | undefined>;
  onProgress: (line: string) => void;
  /** Tests start another program. */
  launcherProgram?: string;
  /** Tests are less patient. */
  vainMsMax?: number;
}

const pollMs = 50;
/** Whatever takes long says so every few seconds. After this much silence nothing more will come. */
const silentMsMax = 60_000;
/** A launcher whose stack was up tries for ever: what has ended meanwhile is back by then, or needs somebody. */
const vainMsDefault = 60_000;

/** Leaves a launcher behind that keeps the stack up, and answers when the stack is ready. */
export async function startDetached(
  options: StartDetachedOptions,
): Promise<{ health: Health; wasRunning: boolean }> {
  const { home, port, env, launcherProgram = entryFile('launcher') } = options;
  const logFile = join(homePaths(home).logs, 'launcher.log');
  const stopping = stoppingLauncher(home);
  if (stopping !== null) await untilStopped(stopping, options);
  const living = runningLauncher(home);
  capLog(logFile);
  const log = followFile(logFile);
  if (living === null || (await readHealth(home)) === null) requireRoom(home, living !== null);
  const found = living === null ? null : adoptProcess(living);
  // The one that is started clears it as well, and may end before it comes to that.
  if (found === null) clearFailure(homePaths(home).failureFile);
  const launcher =
    found ??
    spawnDetached({
      command: process.execPath,
      args: [launcherProgram, ...(port === null ? [] : ['--port', String(port)])],
      env: childEnvironment(env, home),
      cwd: home,
      logFile,
      // A `down` that comes before it holds the home finds it by this.
      onSpawn: (id) => writePidFile(homePaths(home).startingFile, id),
    });
  try {
    const trouble = watchTrouble(home, options.vainMsMax ?? vainMsDefault);
    // Until it is, one's own launcher ends by itself when it cannot bring the stack up.
    if (found !== null) trouble.wasUp();
    const health = await waitReady(options, launcher, { log, trouble });
    return { health, wasRunning: found !== null };
  } catch (error) {
    // What we found was about to die: then there is none, and one is to be started.
    if (living === null || !wasKilled(home, living)) throw error;
    return await startDetached(options);
  } finally {
    rmSync(homePaths(home).startingFile, { force: true });
  }
}

/** What is being ended is no stack to be found running, though it still answers. Its own patience bounds the time. */
async function untilStopped(
  stopping: ProcessId,
  { onProgress }: StartDetachedOptions,
): Promise<void> {
  onProgress(`waiting for process ${stopping.pid}, which is ending the stack`);
  while (isRunning(stopping)) await sleep(pollMs);
}

async function waitReady(
  { home, onProgress }: StartDetachedOptions,
  launcher: RunningProcess,
  { log, trouble }: { log: () => string[]; trouble: TroubleWatch },
): Promise<Health> {
  let hasEnded = false;
  const follow = (one: RunningProcess) => {
    hasEnded = false;
    void one.ended.then(() => (hasEnded = true));
  };
  follow(launcher);
  let answeredAt: number | null = null;
  let heardAt = Date.now();
  for (;;) {
    const lines = log();
    const failure = readFailure(homePaths(home).failureFile);
    // Its last word. While the launcher lives it may be that of another one, and is no reason to wait for an end.
    if (failure !== null && hasEnded) throw failure;
    for (const line of lines) {
      heardAt = Date.now();
      // The failure says it all.
      if (failure !== null) continue;
      trouble.hear(line);
      onProgress(saidIn(line));
    }
    // Another `up` was faster, and ours has ended because of it: theirs is the stack to wait for.
    const other = hasEnded ? runningLauncher(home) : null;
    const adopted = other === null ? null : adoptProcess(other);
    if (adopted !== null) {
      follow(adopted);
      // It may have been before we looked.
      trouble.wasUp();
    }
    // A stack that outlived its launcher is healthy before the new one has taken it over; a `down`
    // that came in between would end what this launcher then starts again.
    const health = runningLauncher(home) === null ? null : await readHealth(home);
    if (health !== null) {
      answeredAt ??= Date.now();
      if (isSettled(home, health, Date.now() - answeredAt)) return health;
    }
    const isInVain = trouble.isInVain(health !== null);
    if (hasEnded || isInVain || Date.now() - heardAt > silentMsMax)
      throw notStarted(home, hasEnded, trouble.words());
    await sleep(pollMs);
  }
}

/** Said at once: a launcher without room can write into no log that it tries. */
function requireRoom(home: string, isLookedAfter: boolean): void {
  const why = whyUnwritable(home);
  if (why === null) return;
  throw new AppError('home_unusable', `the home ${home} cannot be written: ${why}`, {
    hint: isLookedAfter
      ? 'Mend that (`offshoot doctor` shows the disks): what has ended is then started again by itself.'
      : 'Mend that (`offshoot doctor` shows the disks), then start it again.',
  });
}

/** The launcher was killed, or it lives and tries in vain to start a part of the stack. */
function notStarted(home: string, hasEnded: boolean, trouble: string | null): AppError {
  const { logs } = homePaths(home);
  const tried = trouble ?? 'a part of it does not come up.';
  const why = hasEnded ? 'its launcher was ended.' : tried;
  return new AppError('server_unavailable', `Offshoot could not be started: ${why}`, {
    hint: hasEnded ? `The logs are in ${logs}.` : `See ${logs}, then: offshoot down, offshoot up`,
  });
}

/** Each call gives the whole lines that were written since the last one. */
function followFile(path: string): () => string[] {
  let position = sizeOf(path);
  let rest = '';
  return () => {
    const size = sizeOf(path);
    if (size < position) position = 0;
    if (size === position) return [];
    const buffer = Buffer.alloc(size - position);
    const handle = openSync(path, 'r');
    try {
      position += readSync(handle, buffer, 0, buffer.length, position);
    } finally {
      closeSync(handle);
    }
    const lines = `${rest}${buffer.toString('utf8')}`.split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
