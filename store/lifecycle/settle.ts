/** The end of an invocation, whatever brought it about. Status, callback and message: one transaction. */
import type { EndingErrorCode } from '../../contract/errors.ts';
import type { FinalStatus } from '../../contract/words.ts';
import { isFinal } from '../../contract/words.ts';
import { reach } from '../../faults/reach.ts';
import { admitNext, enqueue, releaseSlot } from '../admission.ts';
import { findHost, isLive } from '../hosts.ts';
import {
  countOpenChildren,
  findInvocation,
  openInvocationOn,
  openStatuses,
  type InvocationRow,
} from '../invocations.ts';
import { keepForSession, queueCallback, settleHanded, waitingCallbacks } from '../mailbox.ts';
import { queuePoke, queueSessionPoke } from '../outbox.ts';
import { findSession } from '../sessions.ts';
import { appendTurn } from '../turns.ts';
import { releaseWaiters } from '../waits.ts';
import type { Tx } from '../write-queue.ts';
import { flagChildren } from './flag.ts';

export interface Ending {
  status: FinalStatus;
  error: string | null;
  errorCode: EndingErrorCode | null;
  errorHint: string | null;
}

export const completed: Ending = {
  status: 'completed',
  error: null,
  errorCode: null,
  errorHint: null,
};

/** The first final state wins; a second one changes nothing and says so. */
export function settle(
  tx: Tx,
  id: string,
  ending: Ending,
  { isReported = false, exitCode = null }: { isReported?: boolean; exitCode?: number | null } = {},
): boolean {
  const row = findInvocation(tx.db, id);
  if (!row || isFinal(row.status)) return false;
  // Out of the queue at once: the ends of its children, which come first, give slots to whoever stands in it.
  tx.db.run(
    `UPDATE subagent_sessions
     SET status = :status, completed_at = :now, error = :error, error_code = :errorCode,
         error_hint = :errorHint, duration_ms = :durationMs, queued_at_ordinal = NULL
     WHERE id = :id`,
    {
      id,
      status: ending.status,
      error: ending.error,
      errorCode: ending.errorCode,
      errorHint: ending.errorHint,
      durationMs: Date.parse(tx.now) - Date.parse(row.started_at ?? row.created_at),
      now: tx.now,
    },
  );
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'mark',
    text: endingText(ending, exitCode),
    src: `ending:${id}`,
    invocationId: id,
  });
  // What a run had been handed and did not bring to a good end is kept for the session.
  settleHanded(tx, id, ending.status === 'completed' ? 'delivered' : 'undelivered');
  tellParent(tx, row);
  letSessionRest(tx, row);
  // The end of a reported run is seen by its workflow anyway: the lease on it ends.
  if (row.engine_state === 'open' && !isReported) queuePoke(tx, id);
  if (ending.status !== 'completed') stopChildren(tx, row);
  releaseWaiters(tx, id);
  releaseSlot(tx, id);
  passOnSession(tx, row);
  admitNext(tx);
  const seconds = (Date.parse(tx.now) - Date.parse(row.created_at)) / 1000;
  const ended = { ...ending, mode: row.execution_mode, seconds };
  tx.note({ kind: 'final', invocationId: id, ended });
  reach('ending uncommitted');
  return true;
}

/** A program that has said that all is well may have left with another word: that is told beside it. */
function endingText({ status, error }: Ending, exitCode: number | null): string {
  if (error !== null) return `${status}: ${error}`;
  return exitCode === null || exitCode === 0 ? status : `${status}, exited with code ${exitCode}`;
}

/** Every ending of a callback child is told: a row in the mailbox and a poke for its owner. */
function tellParent(tx: Tx, row: InvocationRow): void {
  if (row.execution_mode !== 'ASYNC_CALLBACK' || row.parent_session_id === null) return;
  const session = findSession(tx.db, row.agent_id, row.parent_session_id);
  if (!session) return;
  queueCallback(tx, row, session.id);
  reach('callback queued');
  if (session.kind === 'external') {
    queueSessionPoke(tx, session.id);
    return;
  }
  const speaker = openInvocationOn(tx.db, session.id);
  if (!speaker) keepForSession(tx, session.id);
  else if (speaker.status === 'waiting' && speaker.cancel_requested_at === null) wake(tx, speaker);
}

/** Of callbacks it hears anyway; of all else an external session's workflow must know when nothing is open. */
function letSessionRest(tx: Tx, row: InvocationRow): void {
  const sessionId = row.owner_session_id;
  if (sessionId === null || row.execution_mode === 'ASYNC_CALLBACK') return;
  if (countOpenChildren(tx.db, { sessionId }) === 0) queueSessionPoke(tx, sessionId);
}

/** The rest of a tree whose root has ended otherwise than completed. */
function stopChildren(tx: Tx, parent: InvocationRow): void {
  const order = { code: 'parent_ended', reason: `its parent ${parent.id} has ended` } as const;
  for (const row of flagChildren(tx, parent.id, order)) stopFlagged(tx, row);
}

/** What runs is stopped by its host, which reports the end; what does not run ends here. */
export function stopFlagged(tx: Tx, row: InvocationRow): void {
  const run = tx.db.get<{ host_id: string }>(
    `SELECT host_id FROM runs WHERE invocation_id = :id AND state = 'live'`,
    { id: row.id },
  );
  if (!run) {
    settle(tx, row.id, flaggedEnding(row));
    return;
  }
  tx.note({ kind: 'orders', hostId: run.host_id });
  const host = findHost(tx.db, run.host_id);
  if (!host || !isLive(host, tx.now)) settle(tx, row.id, flaggedEnding(row, unconfirmedHint));
}

/** The ending for which a flag was set: what is stopped for it ends so, whatever it says. */
export function flaggedEnding(row: InvocationRow, hint?: string): Ending {
  const code = row.cancel_code ?? 'cancelled';
  return {
    status: code === 'wall_time' ? 'timed_out' : 'cancelled',
    error: row.cancel_reason ?? 'cancelled',
    errorCode: code,
    errorHint: hint ?? (code === 'wall_time' ? moreTimeHint : null),
  };
}

const moreTimeHint =
  'Ask again with a greater limits.wallSeconds (`offshoot run --wall`). More than whoever asks has left, or than limits.wallSeconds in the configuration, it cannot be.';

/** Shown until the host has said that the process is over, or its lease has ended. */
export const unconfirmedHint =
  'process unconfirmed: its host could not be reached; it is ended as soon as the host is back';

/** A waiting invocation has something to read: it wants a slot again. */
export function wake(tx: Tx, row: InvocationRow): void {
  enqueue(tx, row);
  admitNext(tx);
}

/** First come, first served: the next message sent to this session may go now. */
function passOnSession(tx: Tx, row: InvocationRow): void {
  const next = openInvocationOn(tx.db, row.session_id);
  if (next?.status === 'pending') enqueue(tx, next);
  // Nobody is left to read what came in; it stays for the next message or hook.
  if (!next) keepForSession(tx, row.session_id);
}

/** Whether something that was asked for is still to come, or has come and was not read. */
export function isUnfinished(tx: Tx, row: InvocationRow): { unread: boolean; open: boolean } {
  const open = tx.db.get(
    `SELECT 1 FROM subagent_sessions
     WHERE owner_invocation_id = :id AND execution_mode = 'ASYNC_CALLBACK'
       AND status IN ${openStatuses} LIMIT 1`,
    { id: row.id },
  );
  return {
    unread: waitingCallbacks(tx.db, row.session_id, 1).length > 0,
    open: open !== undefined,
  };
}
