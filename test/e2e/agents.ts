/** Small agents for the tests: shell scripts where a word is enough, programs where children are asked for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SubAgentRecord } from '../../contract/records.ts';
import type { ExecutionMode } from '../../contract/words.ts';
import { putFile } from '../support/folder.ts';

/** One of the tiny programs that the tests of the runners use, too. */
export const agentFile = (name: string) =>
  fileURLToPath(new URL(`../fixtures/agents/${name}.mjs`, import.meta.url));

/** The first turn runs its prompt as a shell script, later ones answer with what they were sent. */
const shell = 'if [ "$OFFSHOOT_TURN" = 1 ]; then exec sh -s; else exec cat; fi';

export const runners = {
  sh: { kind: 'command', command: 'sh', args: ['-c', shell], turns: true },
  /** Takes one turn only, so nothing can be sent to it and no callback can reach it. */
  once: { kind: 'command', command: 'sh', args: ['-s'] },
  js: { kind: 'command', command: process.execPath, args: [agentFile('scripted')], turns: true },
  absent: { kind: 'command', command: '/nowhere/agent' },
} as const;

/** A shell script's wait for a file in its workspace, which is its parent's. */
export const untilFile = (file: string) => `until [ -e ${file} ]; do sleep 0.03; done`;

/** Lets those go on who wait for this file in the workspace of that invocation. */
export function release({ context }: Pick<SubAgentRecord, 'context'>, file: string): void {
  putFile(context.workspacePath, file);
}

/** What an agent has written into a file of its workspace; null while there is none. */
export function written({ context }: Pick<SubAgentRecord, 'context'>, file: string): string | null {
  const path = join(context.workspacePath, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** What a program of the `js` runner is given. Nothing else: it runs in another process. */
export interface Tools {
  env: Record<string, string>;
  prompt: string;
  turn: number;
  ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: T }>;
  sleep(seconds: number): Promise<void>;
  say(text: unknown): void;
  /** Waits until there is such a file in its workspace. */
  until(file: string): Promise<void>;
  /** Appends a line to a file. */
  note(file: string, line: string): void;
  /** What all later turns do. */
  later(program: string): void;
  /** Asks for a child: `sh` unless another runner is named. Answers a record or a problem. */
  spawn(
    mode: ExecutionMode,
    program: string,
    more?: Record<string, unknown>,
  ): Promise<SubAgentRecord & { code?: string; detail?: string; hint?: string }>;
}

/** The prompt that makes `js` do this. `data` is all that reaches it from here. */
export function program<D>(
  body: (tools: Tools, data: D) => Promise<void> | void,
  data?: D,
): string {
  return `await (${body.toString()})(tools, ${JSON.stringify(data ?? null)});`;
}
