import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandRunner, Outcome, RunEvent, RunSpec } from '../../contract/run.ts';
import { runCommand, type RunIo } from '../../runners/index.ts';

export const agentFile = (name: string) =>
  fileURLToPath(new URL(`../fixtures/agents/${name}.mjs`, import.meta.url));

export interface Room {
  workspace: string;
  runDir: string;
  marker: string;
}

/** A workspace and a run directory, gone when the test is. */
export async function withRoom<T>(use: (room: Room) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'offshoot-runner-'));
  const marker = `${root.split('-').at(-1)}${process.pid}/local/sub_1/1`;
  try {
    const workspace = mkdtempSync(join(root, 'workspace-'));
    return await use({ workspace, runDir: join(root, 'run'), marker });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function nodeRunner(
  name: string,
  args: string[],
  runner: Partial<CommandRunner> = {},
): CommandRunner {
  return {
    id: 'fixture',
    kind: 'command',
    command: process.execPath,
    args: [agentFile(name), ...args],
    env: {},
    promptVia: 'stdin',
    result: 'text',
    resultPath: null,
    turns: false,
    onLost: 'fail',
    timeoutSeconds: 20,
    ...runner,
  };
}

export function specOf(room: Room, runner: CommandRunner, spec: Partial<RunSpec> = {}): RunSpec {
  return {
    invocationId: 'sub_1',
    runNo: 1,
    turn: 1,
    sessionKey: 'sub:sub_1',
    agentId: 'default',
    parentSessionId: 'parent-session',
    rootSessionId: 'root-session',
    depth: 1,
    prompt: 'a task',
    workspacePath: room.workspace,
    specId: null,
    files: [],
    inheritedContext: null,
    env: {},
    runner,
    url: 'http://127.0.0.1:1',
    token: 'off_token',
    traceparent: null,
    ...spec,
  };
}

export interface Ran {
  outcome: Outcome;
  events: RunEvent[];
  /** All that one stream said. */
  text(stream: RunEvent['stream']): string;
}

export async function run(room: Room, spec: RunSpec, io: Partial<RunIo> = {}): Promise<Ran> {
  const events: RunEvent[] = [];
  const outcome = await runCommand(spec, {
    signal: new AbortController().signal,
    onEvent: (event) => void events.push(event),
    runDir: room.runDir,
    marker: room.marker,
    hostEnv: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    killGraceMs: 400,
    ...io,
  });
  const text = (stream: RunEvent['stream']) =>
    events
      .filter((event) => event.stream === stream)
      .map((event) => event.text)
      .join('');
  return { outcome, events, text };
}

export const runFixture = (
  name: string,
  args: string[] = [],
  given: { runner?: Partial<CommandRunner>; spec?: Partial<RunSpec>; io?: Partial<RunIo> } = {},
): Promise<Ran> =>
  withRoom((room) =>
    run(room, specOf(room, nodeRunner(name, args, given.runner), given.spec), given.io),
  );

/** Whether it still runs: dead ones that nobody has collected do not count. */
export function isAlive(pid: number): boolean {
  const seen = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return seen.stdout.trim() !== '' && !seen.stdout.trim().startsWith('Z');
}
