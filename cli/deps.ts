/** What every command is given. `main.ts` builds it from the process; tests build it from strings. */
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../contract/config.ts';
import type { ExitCode } from './exit-codes.ts';

export interface Cli {
  deps: CliDeps;
  /** Turns a command into what commander calls, and keeps its exit code. */
  action: <A extends unknown[]>(command: Action<A>) => (...args: A) => Promise<void>;
}
export type Action<A extends unknown[]> = (deps: CliDeps, ...args: A) => Promise<ExitCode>;

export interface CliDeps {
  environment: Environment;
  /** Handed on to the processes that `up` starts, and asked for `--env NAME`. */
  processEnvironment: Record<string, string | undefined>;
  /** The home in use, absolute. */
  home: string;
  cwd: string;
  version: string;
  out: Output;
  err: Output;
  input: Input;
  /** Handed to the MCP server whole. */
  streams: { stdin: Readable; stdout: Writable };
  now: () => number;
  /** Calls for each Ctrl-C until the returned function is called. Without a listener Ctrl-C ends us. */
  onInterrupt: (listener: () => void) => () => void;
}

export interface Output {
  write: (text: string) => void;
  isTerminal: boolean;
  hasColor: boolean;
  columns: number;
}

export interface Input {
  isTerminal: boolean;
  /** All that comes, to its end. */
  read: () => AsyncIterable<Uint8Array>;
  /** One line from a person; null when the input ends or the signal is given. */
  ask: (question: string, signal: AbortSignal) => Promise<string | null>;
}
