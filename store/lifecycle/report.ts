/** What a runner host reports of a run. Fenced: a run that lost its claim changes nothing any more. */
import type { Report, ReportAnswer, ReportRequest } from '../../contract/store-api.ts';
import type { Outcome } from '../../contract/run.ts';
import { isFinal } from '../../contract/words.ts';
import { AppError } from '../../contract/errors.ts';
import { reach } from '../../faults/reach.ts';
import { admitNext, releaseSlot } from '../admission.ts';
import { findHost } from '../hosts.ts';
import { findInvocation, type InvocationRow } from '../invocations.ts';
import { settleHanded } from '../mailbox.ts';
import { dropLaterPokes } from '../outbox.ts';
import { appendTurn } from '../turns.ts';
import type { Tx } from '../write-queue.ts';
import type { RunRow } from './claim.ts';
import { loseRun } from './lose.ts';
import { completed, flaggedEnding, isUnfinished, settle, wake } from './settle.ts';

export function report(tx: Tx, request: ReportRequest): ReportAnswer {
  const run = tx.db.get<RunRow>(
    'SELECT * FROM runs WHERE invocation_id = :id AND run_no = :runNo',
    { id: request.invocationId, runNo: request.runNo },
  );
  const row = findInvocation(tx.db, request.invocationId);
  if (!run || !row || run.host_id !== request.hostId) {
    throw new AppError(
      'stale_claim',
      `host ${request.hostId} has no run ${request.invocationId}/${request.runNo}`,
    );
  }
  let held = holds(tx, row, run, request);
  for (const one of request.reports) {
    if (one.type === 'event') keepEvent(tx, row, run, one, held);
    // A run has one outcome: of one that has ended it is the same again, whose answer was lost.
    else if (!held && run.state === 'ended') continue;
    else if (!held) keepLate(tx, row, run, one, request.bootId);
    else {
      if (one.type === 'outcome') endRun(tx, row, run, one.outcome);
      else loseRun(tx, run, one);
      held = false;
    }
  }
  return { held, status: findInvocation(tx.db, row.id)!.status };
}

function holds(tx: Tx, row: InvocationRow, run: RunRow, from: ReportRequest): boolean {
  return (
    run.state === 'live' &&
    run.host_id === from.hostId &&
    run.boot_id === from.bootId &&
    findHost(tx.db, run.host_id)?.boot_id === run.boot_id &&
    !isFinal(row.status)
  );
}

function keepEvent(
  tx: Tx,
  row: InvocationRow,
  run: RunRow,
  { n, event }: Extract<Report, { type: 'event' }>,
  held: boolean,
): void {
  appendTurn(tx, {
    sessionId: row.session_id,
    role: event.stream,
    text: event.text,
    at: event.at,
    src: `run:${row.id}:${run.run_no}:${n}`,
    invocationId: row.id,
    runNo: run.run_no,
    late: !held,
  });
}

/** Too late to count, too good to drop. */
function keepLate(
  tx: Tx,
  row: InvocationRow,
  run: RunRow,
  late: Exclude<Report, { type: 'event' }>,
  bootId: string,
): void {
  const text =
    late.type === 'outcome'
      ? `late outcome (${late.outcome.kind}): ${late.outcome.content ?? late.outcome.error ?? ''}`
      : `late: ${late.why}`;
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'mark',
    text,
    src: `run:${row.id}:${run.run_no}:${late.n}`,
    invocationId: row.id,
    runNo: run.run_no,
    late: true,
  });
  // Only the boot that owns the process can say that it is over.
  if (run.state === 'live' && run.boot_id === bootId) closeRun(tx, run);
}

/** The run is over. Whether the invocation is, depends on what it has asked for. */
function endRun(tx: Tx, row: InvocationRow, run: RunRow, outcome: Outcome): void {
  closeRun(tx, run);
  keepResult(tx, row, run, outcome);
  if (row.cancel_requested_at !== null) {
    settle(tx, row.id, flaggedEnding(row), { isReported: true });
    return;
  }
  if (outcome.kind !== 'succeeded') {
    const { kind, error, errorCode, errorHint } = outcome;
    const ending = { status: kind, error: error ?? kind, errorCode, errorHint };
    settle(tx, row.id, ending, { isReported: true });
    return;
  }
  settleHanded(tx, row.id, 'delivered');
  const { unread, open } = isUnfinished(tx, row);
  if (unread || open) standBy(tx, row, unread);
  else settle(tx, row.id, completed, { isReported: true, exitCode: outcome.exitCode });
}

/** Done means that what was asked for is done: until then it waits, without process and slot. */
function standBy(tx: Tx, row: InvocationRow, hasUnread: boolean): void {
  tx.db.run(`UPDATE subagent_sessions SET status = 'waiting' WHERE id = :id`, { id: row.id });
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'mark',
    text: 'waiting',
    invocationId: row.id,
  });
  releaseSlot(tx, row.id);
  const waiting = findInvocation(tx.db, row.id)!;
  if (hasUnread) wake(tx, waiting);
  else admitNext(tx);
  reach('standing by');
}

function closeRun(tx: Tx, run: RunRow): void {
  tx.db.run(
    `UPDATE runs SET state = 'ended', ended_at = :now WHERE invocation_id = :id AND run_no = :runNo`,
    { id: run.invocation_id, runNo: run.run_no, now: tx.now },
  );
  // Its workflow sees the end by the lease; that it has begun is no news any more.
  dropLaterPokes(tx, run.invocation_id);
  tx.note({ kind: 'run over', invocationId: run.invocation_id, runNo: run.run_no });
}

/** The answer is that of the last run that gave one; usage adds up over all of them. */
function keepResult(tx: Tx, row: InvocationRow, run: RunRow, outcome: Outcome): void {
  tx.db.run(
    `UPDATE subagent_sessions
     SET result_content = coalesce(:content, result_content),
         token_input = CASE WHEN :input IS NULL THEN token_input ELSE coalesce(token_input, 0) + :input END,
         token_output = CASE WHEN :output IS NULL THEN token_output ELSE coalesce(token_output, 0) + :output END
     WHERE id = :id`,
    {
      id: row.id,
      content: outcome.content,
      input: outcome.tokenUsage?.input ?? null,
      output: outcome.tokenUsage?.output ?? null,
    },
  );
  if (outcome.kind !== 'succeeded' || outcome.content === null) return;
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'assistant',
    text: outcome.content,
    src: `answer:${row.id}:${run.run_no}`,
    invocationId: row.id,
    runNo: run.run_no,
  });
}
