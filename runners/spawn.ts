/** Starts a program in a process group of its own and hands it its prompt. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import type { Outcome } from '../contract/run.ts';
import { namePath, type SearchedPath } from './name-path.ts';
import { failed } from './outcome.ts';
import { startTick } from './processes.ts';

export interface Program {
  invocationId: string;
  runnerId: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Whose the PATH in it is; the runner host's where nothing is said. */
  pathFrom?: SearchedPath['from'];
  workspacePath: string;
  /** Null: its stdin is /dev/null. */
  stdin: string | null;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Started {
  pid: number;
  /** When it began, by `startTick`; null where that cannot be known. */
  since: number | null;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<Exit>;
  /** Lets go of the pipes, whoever else holds their other ends. */
  release(): void;
}

export async function startProgram(program: Program): Promise<Started | Outcome> {
  const options: SpawnOptions = {
    cwd: program.workspacePath,
    env: program.env,
    // Its own group (and session), so that one signal reaches all that it starts there.
    detached: true,
    stdio: [program.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  };
  try {
    const child = spawn(program.command, program.args, options);
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // Later errors of the object (a signal that could not be sent) are seen where they are caused.
    child.on('error', () => {});
    givePrompt(child, program.stdin);
    return {
      pid: child.pid!,
      since: startTick(child.pid!),
      stdout: child.stdout!,
      stderr: child.stderr!,
      exited,
      release: () => [child.stdin, child.stdout, child.stderr].forEach((pipe) => pipe?.destroy()),
    };
  } catch (error) {
    return spawnFailure(program, error as NodeJS.ErrnoException);
  }
}

/** A program that does not read its prompt, or not all of it, is judged by its answer alone. */
function givePrompt(child: ChildProcess, prompt: string | null): void {
  if (child.stdin === null || prompt === null) return;
  child.stdin.on('error', () => {});
  child.stdin.end(prompt, 'utf8');
}

/** Asked when a start has failed: the system blames the command for a missing working directory. */
async function workspaceProblem(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isDirectory()) return `the workspace ${path} is not a directory`;
    await access(path, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `the workspace ${path} does not exist`
      : `the workspace ${path} cannot be entered (${code})`;
  }
}

async function spawnFailure(program: Program, error: NodeJS.ErrnoException): Promise<Outcome> {
  const { command, runnerId, invocationId, workspacePath } = program;
  const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  if (isMissing || error.code === 'EACCES') {
    const problem = await workspaceProblem(workspacePath);
    if (problem !== null) return failed('spawn_failed', problem);
    const logs = `What the run has told: offshoot logs ${invocationId}`;
    return failed(
      'runner_missing',
      isMissing
        ? `the program ${command} was not found${placeOf(program)}`
        : `the program ${command} is not executable`,
      isMissing
        ? `Install it, or correct runners.${runnerId}.command (its absolute path is safest; a script also needs the interpreter that its first line names). ${logs}`
        : `Make it executable, or correct runners.${runnerId}.command. ${logs}`,
    );
  }
  // Only the code: the message may quote an argument or a variable, and either may be a secret.
  const code = error.code ?? error.name;
  return failed('spawn_failed', `${command} could not be started (${code})`, hints[code] ?? null);
}

/** Only a bare name is looked for on the PATH; a relative path starts from the workspace. */
function placeOf({ command, env, pathFrom = 'host', runnerId, workspacePath }: Program): string {
  if (!command.includes('/')) {
    return ` on ${namePath({ path: env['PATH'], from: pathFrom, runnerId })}`;
  }
  return isAbsolute(command) ? '' : ` in the workspace ${workspacePath}`;
}

const hints: Record<string, string> = {
  E2BIG: 'Arguments and environment are too long for the system.',
  ERR_INVALID_ARG_VALUE: 'The program, an argument or a variable of its environment holds NUL.',
};
