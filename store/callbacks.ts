/** A callback with what there is to say about the child that ended. */
import { renderCallback } from '../domain/envelope.ts';
import type { Db } from './database.ts';
import { findInvocation } from './invocations.ts';
import type { CallbackRow } from './mailbox.ts';

export function envelopeOf(db: Db, callback: CallbackRow): string {
  const child = findInvocation(db, callback.invocation_id)!;
  const hasUsage = child.token_input !== null && child.token_output !== null;
  return renderCallback({
    callbackId: callback.id,
    invocationId: child.id,
    sessionKey: child.session_key,
    runnerId: child.runner_id,
    title: child.title,
    status: child.status,
    durationMs: child.duration_ms,
    tokenUsage: hasUsage ? { input: child.token_input!, output: child.token_output! } : null,
    content: child.result_content,
    error: child.error,
    errorCode: child.error_code,
  });
}
