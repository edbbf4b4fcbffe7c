/**
 * How a process in the background tells why it ended: the launcher why the stack did not come up
 * (`<home>/run/failure.json`), the server what another start would end by, too.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isRequestErrorCode } from '../contract/errors.ts';
import { writeJsonFile } from '../engine/pid-file.ts';

/** With this a server ends that has written there what no second try could mend. */
export const hopelessExitCode = 78;

export function clearFailure(file: string): void {
  rmSync(file, { force: true });
}

export function writeFailure(file: string, error: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const message = error instanceof Error ? error.message : String(error);
  const { code, hint } = error instanceof AppError ? error : { code: 'internal', hint: null };
  writeJsonFile(file, { code, message, hint });
}

/** Null while nothing has failed. */
export function readFailure(file: string): AppError | null {
  try {
    const { code, message, hint } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      string,
      string | null
    >;
    const known = typeof code === 'string' && isRequestErrorCode(code) ? code : 'internal';
    return new AppError(known, message ?? '', hint ? { hint } : {});
  } catch {
    // There is none.
    return null;
  }
}
