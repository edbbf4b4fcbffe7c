/** `<home>/run/launcher.json`: who looks after this home. It is a lock: one launcher per home. */
import { existsSync } from 'node:fs';
import { AppError } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { releaseFileLock, takeFileLock } from '../engine/file-lock.ts';
import { readPidFile, writePidFile } from '../engine/pid-file.ts';
import { identifyProcess, isRunning, type ProcessId } from '../engine/process-identity.ts';
import { makeHome } from './make-home.ts';
import { ownHome } from './own-home.ts';

export interface HeldHome {
  /** False when its path leads to no home any more, or to another one. */
  isOwn: () => boolean;
  /** The file that names a process which it looks after: put back like its own for as long as that one lives. */
  keep(file: string, note: ProcessId): void;
  /** Called once, when it is not its own any more. */
  onGone(tell: () => void): void;
  /** From here on the stack is being ended: whoever wants one waits for that. */
  noteStopping(killGraceMs: number): void;
  release(): void;
}

/** Refuses while another launcher lives; the file of a dead one is taken over. */
export async function holdLauncherFile(home: string): Promise<HeldHome> {
  makeHome(home);
  const path = homePaths(home).launcherFile;
  const holder = await takeFileLock(path);
  if (holder === null) return keepFile(home, path);
  throw new LookedAfter(home, holder);
}

/** No failure of the stack: another launcher was faster, and whoever waits for the stack gets that one's. */
export class LookedAfter extends AppError {
  constructor(home: string, holder: ProcessId) {
    super('home_in_use', `${home} is looked after by process ${holder.pid} already`, {
      hint: '`offshoot status` shows it, `offshoot down` ends it.',
    });
  }
}

/** Somebody who tidies the home must not make the launcher one that nobody can find and end. */
const lookEveryMs = 1_000;

function keepFile(home: string, path: string): HeldHome {
  const own = ownHome(home);
  const notes = new Map<string, ProcessId>();
  let tellGone: (() => void) | null = null;
  const look = () => {
    if (own.isThere()) {
      if (!existsSync(path)) void takeFileLock(path).catch(() => {});
      putBack(notes);
      return;
    }
    // A home that was deleted as a whole is not brought back, and another one is not ours.
    tellGone?.();
    tellGone = null;
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    isOwn: own.isThere,
    keep: (file, note) => void notes.set(file, note),
    onGone: (tell) => {
      tellGone = tell;
    },
    noteStopping: (killGraceMs) => {
      if (!own.isThere()) return;
      const note: Note = { ...identifyProcess(process.pid)!, isStopping: true, killGraceMs };
      try {
        writePidFile(path, note);
      } catch {
        // A disk without room keeps no stack from ending.
      }
    },
    release: () => {
      clearInterval(timer);
      releaseFileLock(path);
      own.close();
    },
  };
}

function putBack(notes: Map<string, ProcessId>): void {
  for (const [file, note] of notes) {
    if (existsSync(file) || !isRunning(note)) continue;
    try {
      writePidFile(file, note);
    } catch {
      // A disk without room: the next look tries again.
    }
  }
}

interface Note extends ProcessId {
  isStopping?: true;
  /** What it gives each agent: so long may its end rightly take. */
  killGraceMs?: number;
}

/** The living launcher of this home. */
export function runningLauncher(home: string): ProcessId | null {
  const note = readPidFile<Note>(homePaths(home).launcherFile);
  return note !== null && isRunning(note) ? { pid: note.pid, start: note.start } : null;
}

/** It was told to end what it keeps up, and is about it. */
export function stoppingLauncher(home: string): Note | null {
  const note = readPidFile<Note>(homePaths(home).launcherFile);
  return note?.isStopping === true && isRunning(note) ? note : null;
}

/** It has ended and was not told to: its note is as it left it, and nobody's who took the home after it. */
export function wasKilled(home: string, launcher: ProcessId): boolean {
  const note = readPidFile<Note>(homePaths(home).launcherFile);
  const isIts = note?.pid === launcher.pid && note.start === launcher.start;
  return isIts && note.isStopping !== true && !isRunning(note);
}

/** The one that `up --detach` has started, in the moment before it holds the home. */
export function startingLauncher(home: string): ProcessId | null {
  const id = readPidFile(homePaths(home).startingFile);
  return id !== null && isRunning(id) ? id : null;
}
