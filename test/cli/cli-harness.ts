/** Runs a command line in this process: strings in, strings and an exit code out. */
import { writeFileSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { CliDeps } from '../../cli/deps.ts';
import { runCli } from '../../cli/run-cli.ts';
import { readEnvironment } from '../../contract/config.ts';
import { homePaths } from '../../contract/home.ts';

export interface CliOptions {
  /** The server that the environment names. */
  url?: string;
  home?: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  isTerminal?: boolean;
  /** How wide a terminal is. */
  columns?: number;
  /** Standard output alone is a pipe, as in `offshoot run … | jq`. */
  isPiped?: boolean;
  /** What the person answers, one after the other. */
  answers?: string[];
}

export interface CliRun {
  /** Presses Ctrl-C; false when nobody listens, which ends a real process. */
  interrupt: () => boolean;
  questions: string[];
  out: () => string;
  err: () => string;
  done: Promise<{ exitCode: number; out: string; err: string; questions: string[] }>;
}

export const now = Date.parse('2026-01-01T01:00:00Z');

export function startCli(args: string[], options: CliOptions = {}): CliRun {
  const env = {
    ...(options.url ? { OFFSHOOT_URL: options.url, OFFSHOOT_TOKEN: 'off_test' } : {}),
    ...options.env,
  };
  const text = { out: '', err: '' };
  const isTerminal = options.isTerminal ?? false;
  const listeners = new Set<() => void>();
  const questions: string[] = [];
  const answers = [...(options.answers ?? [])];
  const output = (name: 'out' | 'err', isTty: boolean) => ({
    write: (more: string) => void (text[name] += more),
    isTerminal: isTty,
    hasColor: false,
    columns: options.columns ?? 100,
  });
  const deps: CliDeps = {
    environment: readEnvironment(env),
    processEnvironment: env,
    home: options.home ?? '/nonexistent/offshoot-home',
    cwd: options.cwd ?? '/work/here',
    version: '0.1.0',
    out: output('out', isTerminal && !options.isPiped),
    err: output('err', isTerminal),
    input: {
      isTerminal: isTerminal && options.stdin === undefined,
      read: () => Readable.from([Buffer.from(options.stdin ?? '')]),
      ask: (question, signal) => {
        questions.push(question);
        const answer = answers.shift();
        if (answer !== undefined) return Promise.resolve(answer);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(null));
        });
      },
    },
    streams: {
      stdin: options.stdin === undefined ? new PassThrough() : Readable.from([options.stdin]),
      stdout: new Writable({
        write: (chunk: Buffer, _, done) => {
          text.out += chunk.toString();
          done();
        },
      }),
    },
    now: () => now,
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const done = runCli(deps, args).then((exitCode) => ({ exitCode, ...text, questions }));
  return {
    interrupt: () => {
      for (const listener of [...listeners]) listener();
      return listeners.size > 0;
    },
    questions,
    out: () => text.out,
    err: () => text.err,
    done,
  };
}

export function cli(args: string[], options: CliOptions = {}) {
  return startCli(args, options).done;
}

/** Writes what the server of a home leaves there for its clients. One that has ended is asked once. */
export function writeServerFile(
  home: string,
  { url, pid, ...more }: { url: string; pid: number; remoteUrl?: string },
): void {
  const { serverFile, token: tokenFile } = homePaths(home);
  const temporal = { address: null, namespace: 'default', uiUrl: null };
  writeFileSync(tokenFile, 'off_x\n');
  writeFileSync(serverFile, JSON.stringify({ url, pid, ...more, tokenFile, temporal }));
}

export async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('it did not come to pass within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
