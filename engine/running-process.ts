/** A process that outlives us: started into a group of its own, or found alive from an earlier time. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { identifyProcess, isRunning, type ProcessId } from './process-identity.ts';

export interface RunningProcess {
  id: ProcessId;
  isAdopted: boolean;
  /** Resolves with how it ended, in words. */
  ended: Promise<string>;
}

export interface SpawnOptions {
  command: string;
  args: string[];
  env: Record<string, string | undefined>;
  cwd: string;
  /** Standard output and error are appended here, by file descriptor: a pipe would die with us. */
  logFile: string;
  /**
   * Called before anything else can happen, so that a note of the new process is never missed. Where it
   * throws, the process is ended: nobody would find it again.
   */
  onSpawn?: (id: ProcessId) => void;
}

const adoptedPollMs = 200;

export function spawnDetached(options: SpawnOptions): RunningProcess {
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const log = openSync(options.logFile, 'a', 0o600);
  const { command, args, env, cwd } = options;
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  if (child.pid === undefined) {
    throw new Error(`${command} cannot be started: is it there, and may it be executed?`);
  }
  // It outlives us on purpose: watching it is no reason to stay.
  child.unref();
  // One that is gone already has no start to be read, and `ended` says so soon.
  const id = identifyProcess(child.pid) ?? { pid: child.pid, start: '' };
  try {
    options.onSpawn?.(id);
  } catch (error) {
    process.kill(-child.pid, 'SIGKILL');
    throw error;
  }
  return { id, isAdopted: false, ended };
}

/** Null when that process is not there any more. */
export function adoptProcess({ pid, start }: ProcessId): RunningProcess | null {
  const id = { pid, start };
  if (!isRunning(id)) return null;
  const ended = new Promise<string>((resolve) => {
    const timer = setInterval(() => {
      if (isRunning(id)) return;
      clearInterval(timer);
      resolve('it is gone');
    }, adoptedPollMs);
    timer.unref();
  });
  return { id, isAdopted: true, ended };
}
