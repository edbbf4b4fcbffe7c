/** A run whose host or process was lost follows its runner's `onLost`. */
import { limits } from '../../contract/limits.ts';
import type { RunKey } from '../../contract/store-api.ts';
import { isFinal } from '../../contract/words.ts';
import { reach } from '../../faults/reach.ts';
import { findHost } from '../hosts.ts';
import { openStatuses, findInvocation, runnerOf, type InvocationRow } from '../invocations.ts';
import { settleHanded } from '../mailbox.ts';
import { queuePoke } from '../outbox.ts';
import { releaseSlot } from '../admission.ts';
import { appendTurn } from '../turns.ts';
import type { Tx } from '../write-queue.ts';
import type { RunRow } from './claim.ts';
import { flaggedEnding, settle, wake } from './settle.ts';

/** A program that takes its host down each time must not do so for ever. */
const LOST_RUNS_MAX = 5;

/**
 * Marks the run lost and gives back what it was handed, in one transaction. `n` is the number of the
 * report that says so, where the host itself does: a repeat of it adds nothing.
 */
export function loseRun(
  tx: Tx,
  run: RunRow,
  lost: { why: string; wasStarted: boolean; n?: number },
): void {
  const { why } = lost;
  tx.db.run(
    `UPDATE runs SET state = 'lost', ended_at = :now WHERE invocation_id = :id AND run_no = :runNo`,
    { id: run.invocation_id, runNo: run.run_no, now: tx.now },
  );
  tx.note({ kind: 'run over', invocationId: run.invocation_id, runNo: run.run_no });
  const row = findInvocation(tx.db, run.invocation_id)!;
  settleHanded(tx, row.id, 'queued');
  appendTurn(tx, {
    sessionId: row.session_id,
    role: 'mark',
    text: `run ${run.run_no} lost: ${why}`,
    src: `run:${row.id}:${run.run_no}:${lost.n ?? 'lost'}`,
    invocationId: row.id,
    runNo: run.run_no,
  });
  reach('lost marked');
  if (isFinal(row.status)) return;
  if (row.cancel_requested_at !== null) {
    settle(tx, row.id, flaggedEnding(row));
  } else if (mayRunAgain(tx, row, lost.wasStarted)) {
    runAgain(tx, row);
  } else {
    settle(tx, row.id, {
      status: 'failed',
      error: `the run was lost: ${why}`,
      errorCode: 'outcome_unknown',
      errorHint:
        'It may have had effects. Look at its transcript and workspace, then ask again; a runner that may safely be repeated can say "onLost": "rerun".',
    });
  }
}

/** Every run that an older boot of this host still claims. */
export function loseRunsOfOlderBoots(tx: Tx, hostId: string, bootId: string, why: string): void {
  const runs = tx.db.all<RunRow>(
    `SELECT * FROM runs WHERE host_id = :hostId AND state = 'live' AND boot_id <> :bootId`,
    { hostId, bootId },
  );
  for (const run of runs) loseRun(tx, run, { why, wasStarted: true });
}

/**
 * Runs of this very boot of which it does not know: a claim or an ending that went astray. A host that was
 * out of contact is told of its claims first, for as long as a claim may take: one that it asks for again
 * was never begun, and the first answers that tell it may go astray, too.
 */
export function loseUnknownRuns(
  tx: Tx,
  host: { hostId: string; bootId: string; runs: RunKey[]; heard: RunKey[]; inContactSince: string },
): void {
  const { last_seen_at: lastSeenAt } = findHost(tx.db, host.hostId)!;
  // A clock that was set back leaves a last word in times to come.
  const heardAt = Math.min(Date.parse(lastSeenAt), Date.parse(tx.now));
  const before = new Date(heardAt - limits.claimAnswerMs).toISOString();
  if (host.inContactSince > before) return;
  const runs = tx.db.all<RunRow>(
    `SELECT * FROM runs WHERE state = 'live' AND host_id = :hostId AND boot_id = :bootId
       AND claimed_at <= :before`,
    { hostId: host.hostId, bootId: host.bootId, before },
  );
  for (const run of runs) {
    const isKnown = [...host.runs, ...host.heard].some(
      (one) => one.invocationId === run.invocation_id && one.runNo === run.run_no,
    );
    if (!isKnown)
      loseRun(tx, run, { why: 'its runner host does not know of it', wasStarted: true });
  }
}

function mayRunAgain(tx: Tx, row: InvocationRow, wasStarted: boolean): boolean {
  if (lostRuns(tx, row) >= LOST_RUNS_MAX) return false;
  return !wasStarted || runnerOf(row).onLost === 'rerun';
}

function lostRuns(tx: Tx, row: InvocationRow): number {
  return tx.db.get<{ n: number }>(
    `SELECT count(*) AS n FROM runs WHERE invocation_id = :id AND state = 'lost'`,
    { id: row.id },
  )!.n;
}

/** No process runs, so it is not `running`; it waits for a slot with the same input as before. */
function runAgain(tx: Tx, row: InvocationRow): void {
  tx.db.run(
    `UPDATE subagent_sessions SET status = 'waiting' WHERE id = :id AND status IN ${openStatuses}`,
    { id: row.id },
  );
  releaseSlot(tx, row.id);
  wake(tx, findInvocation(tx.db, row.id)!);
  if (row.engine_state === 'open') queuePoke(tx, row.id);
}
