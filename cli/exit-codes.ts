/** The exit codes of every command, and which error ends with which: the one place for both. */
import type { RequestErrorCode } from '../contract/errors.ts';
import { isFinal, type Status } from '../contract/words.ts';

export const exitCodes = {
  ok: 0,
  incomplete: 1,
  usage: 2,
  notFound: 3,
  unreachable: 4,
  refused: 5,
  stillRunning: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeTable = `Exit codes:
    0  done; with an asynchronous mode: accepted
    1  what was asked for did not complete: failed, cancelled or timed out;
       or a check found something wrong; or an error inside Offshoot
    2  wrong usage, a bad request, a wrong configuration or a home that
       cannot be used
    3  not found: no such invocation, session, parent or runner
    4  server or engine not reachable
    5  refused: not allowed, a conflict, capacity or a limit
    6  accepted and still running when the wait ended
  130  interrupted, or answered with no; what was accepted goes on unless
       it was cancelled
`;

const errorExitCodes = {
  bad_request: exitCodes.usage,
  unauthorized: exitCodes.refused,
  forbidden: exitCodes.refused,
  bad_host: exitCodes.refused,
  not_found: exitCodes.notFound,
  unknown_runner: exitCodes.notFound,
  unknown_parent: exitCodes.notFound,
  parent_required: exitCodes.usage,
  parent_final: exitCodes.refused,
  parent_conflict: exitCodes.refused,
  session_claimed: exitCodes.refused,
  runner_single_turn: exitCodes.refused,
  cycle: exitCodes.refused,
  depth_exceeded: exitCodes.refused,
  children_exceeded: exitCodes.refused,
  capacity: exitCodes.refused,
  idempotency_mismatch: exitCodes.refused,
  prompt_too_large: exitCodes.usage,
  body_too_large: exitCodes.usage,
  transcript_refused: exitCodes.refused,
  transcript_not_a_file: exitCodes.usage,
  transcript_too_large: exitCodes.usage,
  workspace_missing: exitCodes.usage,
  file_missing: exitCodes.usage,
  file_outside_workspace: exitCodes.usage,
  still_running: exitCodes.refused,
  config_invalid: exitCodes.usage,
  stale_claim: exitCodes.refused,
  home_in_use: exitCodes.refused,
  home_unusable: exitCodes.usage,
  database_newer: exitCodes.refused,
  database_busy: exitCodes.unreachable,
  database_damaged: exitCodes.refused,
  disk_full: exitCodes.refused,
  store_unwritable: exitCodes.refused,
  backup_failed: exitCodes.incomplete,
  backup_invalid: exitCodes.refused,
  engine_unavailable: exitCodes.unreachable,
  search_unavailable: exitCodes.unreachable,
  server_unavailable: exitCodes.unreachable,
  internal: exitCodes.incomplete,
} as const satisfies Record<RequestErrorCode, ExitCode>;

export function exitCodeOfError(code: RequestErrorCode): ExitCode {
  return errorExitCodes[code];
}

/** Of commands that wait for an invocation. */
export function exitCodeOfStatus(status: Status): ExitCode {
  if (!isFinal(status)) return exitCodes.stillRunning;
  return status === 'completed' ? exitCodes.ok : exitCodes.incomplete;
}
