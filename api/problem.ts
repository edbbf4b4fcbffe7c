/** Error codes as HTTP: the one place where a code becomes a status. */
import { AppError, type RequestErrorCode } from '../contract/errors.ts';
import type { Problem } from '../contract/system-records.ts';
import { asDiskTrouble } from '../domain/disk-trouble.ts';

export const problemType = 'application/problem+json';

/**
 * 400 what is asked makes no sense; 404 what the address or the body names is not there; 409 the state
 * of things is against it, and may change; 422 the request is understood and can never succeed as it is;
 * 429 and 503 the same request may succeed later, and `Retry-After` says when to try; 507 it may succeed when
 * somebody has seen to the disk.
 */
export const problemStatus = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  bad_host: 421,
  not_found: 404,
  unknown_runner: 400,
  unknown_parent: 404,
  parent_required: 400,
  parent_final: 409,
  parent_conflict: 409,
  session_claimed: 409,
  runner_single_turn: 409,
  cycle: 422,
  depth_exceeded: 422,
  children_exceeded: 409,
  capacity: 429,
  idempotency_mismatch: 422,
  prompt_too_large: 413,
  body_too_large: 413,
  transcript_refused: 403,
  transcript_not_a_file: 400,
  transcript_too_large: 413,
  workspace_missing: 422,
  file_missing: 422,
  file_outside_workspace: 422,
  still_running: 409,
  config_invalid: 500,
  stale_claim: 409,
  home_in_use: 500,
  home_unusable: 500,
  database_newer: 500,
  database_busy: 503,
  database_damaged: 500,
  disk_full: 507,
  store_unwritable: 507,
  backup_failed: 500,
  backup_invalid: 422,
  engine_unavailable: 503,
  search_unavailable: 503,
  server_unavailable: 503,
  internal: 500,
} as const satisfies Record<RequestErrorCode, number>;

/** Long enough for a busy database or a restarting engine, short enough for a waiting agent. */
const retryAfterSeconds = 2;

/** `status` overrides the code's own where HTTP has a finer word, such as 405. */
export function problemResponse(
  error: AppError,
  more: { status?: number; headers?: Record<string, string> } = {},
): Response {
  const status = more.status ?? problemStatus[error.code];
  const problem: Problem = {
    type: `/api/docs#${error.code}`,
    title: titleOf(error.code),
    status,
    code: error.code,
    detail: error.message,
    hint: error.hint,
  };
  const headers = new Headers({ 'content-type': problemType, ...more.headers });
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="offshoot"');
  if (status === 429 || status === 503) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(JSON.stringify(problem), { status, headers });
}

/** The caller learns that it was our fault, and nothing about how. */
export function asAppError(error: unknown, onUnknown: (error: unknown) => void): AppError {
  if (error instanceof AppError) return error;
  const trouble = asDiskTrouble(error);
  if (trouble !== null) return trouble;
  onUnknown(error);
  return new AppError('internal', 'Something failed inside the server.', {
    cause: error,
    hint: "The server's log says what it was. The same request may be sent again.",
  });
}

function titleOf(code: RequestErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
