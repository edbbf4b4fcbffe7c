import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';

/** gRPC: what the engine will never take, however often it is asked. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
/** Cancelled, deadline exceeded, resource exhausted, aborted, internal, unavailable, data loss. */
const passing = new Set([1, 4, 8, 10, 13, 14, 15]);

export type EngineTrouble = 'not_found' | 'refused' | 'unreachable' | 'other';

/** What a failed call to the engine means for the message that was to be sent. */
export function classify(error: unknown): EngineTrouble {
  if (error instanceof WorkflowNotFoundError) return 'not_found';
  const code = grpcCode(error);
  if (code === null) return 'other';
  if (code === INVALID_ARGUMENT) return 'refused';
  // A namespace that is not there yet is the engine's trouble, not the message's.
  if (code === NOT_FOUND || passing.has(code)) return 'unreachable';
  return 'other';
}

/** The client says what it did, and in its cause what the engine said to that. */
export function engineWords(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const said = cause instanceof Error ? cause.message : null;
  return said === null ? String(error) : `${String(error)}: ${said}`;
}

function grpcCode(error: unknown): number | null {
  if (isGrpcServiceError(error)) return error.code;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause.code : null;
}
