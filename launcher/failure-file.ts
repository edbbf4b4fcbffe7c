/** `<home>/run/failure.json`: how a launcher in the background tells why the stack did not come up. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { AppError, isRequestErrorCode } from '../contract/errors.ts';
import { homePaths } from '../contract/home.ts';
import { writeJsonFile } from '../engine/pid-file.ts';

export function clearFailure(home: string): void {
  rmSync(homePaths(home).failureFile, { force: true });
}

export function writeFailure(home: string, error: unknown): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const message = error instanceof Error ? error.message : String(error);
  const { code, hint } = error instanceof AppError ? error : { code: 'internal', hint: null };
  writeJsonFile(homePaths(home).failureFile, { code, message, hint });
}

/** Null while nothing has failed. */
export function readFailure(home: string): AppError | null {
  try {
    const text = readFileSync(homePaths(home).failureFile, 'utf8');
    const { code, message, hint } = JSON.parse(text) as Record<string, string | null>;
    const known = typeof code === 'string' && isRequestErrorCode(code) ? code : 'internal';
    return new AppError(known, message ?? '', hint ? { hint } : {});
  } catch {
    // There is none.
    return null;
  }
}
