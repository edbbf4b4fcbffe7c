/** How an error reaches a person, or with `--json` a program: what happened, then what to do. */
import { AppError } from '../contract/errors.ts';
import { hintFor } from '../contract/hints.ts';
import type { CliDeps } from './deps.ts';
import { exitCodeOfError, type ExitCode } from './exit-codes.ts';
import { plainText } from '../domain/plain-text.ts';
import { createStyle } from './render/style.ts';

export function reportError(
  { err }: Pick<CliDeps, 'err'>,
  error: unknown,
  isJson: boolean,
  /** Where the help of its command is. */
  help: string,
): ExitCode {
  const known = asAppError(error);
  const { code, message } = known;
  const hint = hintFor('cli', known.hint) ?? hintOf(known, help);
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

/** What a refusal that says nothing of it leaves to be done. */
function hintOf({ code, message }: AppError, help: string): string | null {
  if (code === 'bad_request') return help;
  if (message.startsWith('there is no invocation ')) return '`offshoot list` shows them.';
  if (message.startsWith('there is no session ')) return '`offshoot sessions` shows them.';
  return null;
}

/** For mistakes in the command line that commander cannot see. */
export function usageError(message: string, hint?: string): AppError {
  return new AppError('bad_request', message, hint === undefined ? {} : { hint });
}
