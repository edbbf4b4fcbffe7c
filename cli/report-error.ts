/** How an error reaches a person, or with `--json` a program: what happened, then what to do. */
import type { Command } from 'commander';
import { AppError } from '../contract/errors.ts';
import type { CliDeps } from './deps.ts';
import { exitCodeOfError, type ExitCode } from './exit-codes.ts';
import { hintFor } from './hint-for.ts';
import { plainText } from '../domain/plain-text.ts';
import { createStyle } from './render/style.ts';

export function reportError(
  { err }: Pick<CliDeps, 'err'>,
  error: unknown,
  isJson: boolean,
  /** Where the help of its command is. */
  help: string,
  command: Command | null = null,
): ExitCode {
  const known = asAppError(error);
  const { code, message } = known;
  const hint = hintFor(known, command) ?? (code === 'bad_request' ? help : null);
  if (isJson) {
    err.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  } else {
    const style = createStyle(err.hasColor);
    err.write(`${style.red('offshoot:')} ${plainText(message)}\n`);
    if (hint !== null) err.write(`  ${plainText(hint)}\n`);
  }
  return exitCodeOfError(code);
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AppError('internal', message === '' ? 'Something failed.' : message, {
    cause: error,
    hint: 'This is a mistake in Offshoot, not in how it was called.',
  });
}

/** For mistakes in the command line that commander cannot see. */
export function usageError(message: string, hint?: string): AppError {
  return new AppError('bad_request', message, hint === undefined ? {} : { hint });
}
