/** A callback with what there is to say about the child that ended. */
import { renderCallback } from '../domain/envelope.ts';
import { secretCharsMax } from '../domain/redact.ts';
import type { Db } from './database.ts';
import { limits } from '../contract/limits.ts';
import type { InvocationRow } from './invocations.ts';
import type { CallbackRow } from './mailbox.ts';

/** Characters of either end: more than fits into an envelope by a secret, half of which may be at the cut. */
const END_CHARS = limits.envelopeBodyBytesMax + secretCharsMax;

type Child = Pick<
  InvocationRow,
  | 'id'
  | 'session_key'
  | 'runner_id'
  | 'title'
  | 'status'
  | 'duration_ms'
  | 'token_input'
  | 'token_output'
  | 'error'
  | 'error_code'
> & { content: string | null; head: string | null; tail: string | null; bytes: number };

export function envelopeOf(
  db: Db,
  callback: CallbackRow,
  { isRepeat = false }: { isRepeat?: boolean } = {},
): string {
  // Of an answer of megabytes only its ends leave the database: fifty of them may come in one turn.
  const child = db.get<Child>(
    `SELECT id, session_key, runner_id, title, status, duration_ms, token_input, token_output, error,
            error_code, coalesce(octet_length(result_content), 0) AS bytes,
            CASE WHEN octet_length(result_content) <= 2 * :end THEN result_content END AS content,
            CASE WHEN octet_length(result_content) > 2 * :end THEN substr(result_content, 1, :end) END AS head,
            CASE WHEN octet_length(result_content) > 2 * :end THEN substr(result_content, -:end) END AS tail
     FROM subagent_sessions WHERE id = :id`,
    { id: callback.invocation_id, end: END_CHARS },
  )!;
  const hasUsage = child.token_input !== null && child.token_output !== null;
  return renderCallback({
    callbackId: callback.id,
    isRepeat,
    invocationId: child.id,
    sessionKey: child.session_key,
    runnerId: child.runner_id,
    title: child.title,
    status: child.status,
    durationMs: child.duration_ms,
    tokenUsage: hasUsage ? { input: child.token_input!, output: child.token_output! } : null,
    content: child.content ?? endsOf(child),
    error: child.error,
    errorCode: child.error_code,
  });
}

function endsOf({ head, tail, bytes }: Child) {
  if (head === null || tail === null) return null;
  return { head, tail, gone: bytes - Buffer.byteLength(head + tail) };
}
