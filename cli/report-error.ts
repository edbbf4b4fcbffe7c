/** How an error reaches a person, or with `--json` a program: what happened, then what to do. */
import { AppError } from '../contract/errors.ts';
import type { CliDeps } from './deps.ts';
import { exitCodeOfError, type ExitCode } from './exit-codes.ts';
import { plainText } from './render/plain-text.ts';
import { createStyle } from './render/style.ts';

export function reportError({ err }: CliDeps, error: unknown, isJson: boolean): ExitCode {
  const known = asAppError(error);
  if (isJson) {
    const { code, message, hint } = known;
    err.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  } else {
    const style = createStyle(err.hasColor);
    err.write(`${style.red('offshoot:')} ${plainText(known.message)}\n`);
    if (known.hint !== null) err.write(`  ${plainText(known.hint)}\n`);
  }
  return exitCodeOfError(known.code);
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
