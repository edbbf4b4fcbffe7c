/** The one closed list of error codes, and the one error type that carries them. */

/** Refusals: what a call can be answered with. */
export const requestErrorCodes = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'bad_host',
  'not_found',
  'unknown_runner',
  'unknown_parent',
  'parent_required',
  'parent_final',
  'parent_conflict',
  'session_claimed',
  'runner_single_turn',
  'cycle',
  'depth_exceeded',
  'children_exceeded',
  'capacity',
  'idempotency_mismatch',
  'prompt_too_large',
  'body_too_large',
  'transcript_refused',
  'transcript_not_a_file',
  'transcript_too_large',
  'workspace_missing',
  'file_missing',
  'file_outside_workspace',
  'still_running',
  'config_invalid',
  'stale_claim',
  'home_in_use',
  'home_unusable',
  'database_newer',
  'database_busy',
  'database_damaged',
  'disk_full',
  'store_unwritable',
  'backup_failed',
  'backup_invalid',
  'engine_unavailable',
  'search_unavailable',
  'server_unavailable',
  'internal',
] as const;

/** Endings: `errorCode` of an invocation that did not complete. */
export const endingErrorCodes = [
  'runner_missing',
  'exit_nonzero',
  'killed_by_signal',
  'empty_result',
  'invalid_result',
  'agent_error',
  'unresolved_placeholder',
  'env_missing',
  'spawn_failed',
  'turn_timeout',
  'wall_time',
  'no_host',
  'outcome_unknown',
  'cancelled',
  'parent_ended',
  'engine_rejected',
] as const;

export type RequestErrorCode = (typeof requestErrorCodes)[number];
export type EndingErrorCode = (typeof endingErrorCodes)[number];
export type ErrorCode = RequestErrorCode | EndingErrorCode;

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: RequestErrorCode;
  readonly hint: string | null;

  constructor(
    code: RequestErrorCode,
    message: string,
    options: { cause?: unknown; hint?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? null;
  }
}

export function isRequestErrorCode(code: string): code is RequestErrorCode {
  return (requestErrorCodes as readonly string[]).includes(code);
}
