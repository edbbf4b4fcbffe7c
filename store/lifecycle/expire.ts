/** What time brings about. Called from a timer of the server; everything here may be called twice. */
import { limits } from '../../contract/limits.ts';
import { reach } from '../../faults/reach.ts';
import { listHosts, notAheadOfTime } from '../hosts.ts';
import {
  findInvocation,
  openStatuses,
  rowOf,
  selectRows,
  type InvocationRow,
} from '../invocations.ts';
import { requeueSent } from '../outbox.ts';
import { admitNext, takeBackUnclaimed } from '../admission.ts';
import { boundToSilent } from '../placement.ts';
import type { Tx } from '../write-queue.ts';
import { cancelTree } from './cancel.ts';
import { loseRun } from './lose.ts';
import type { RunRow } from './claim.ts';
import { flaggedEnding, settle, unconfirmedHint } from './settle.ts';

export interface Patience {
  hostWaitMs: number;
  leaseMs: number;
  /** How long a stopped process may take to be reported, its grace included. */
  stopMs: number;
  /** Since when this server could hear its hosts: it may have been down or asleep before. */
  awakeSince?: string;
}

export function expire(tx: Tx, patience: Patience): void {
  notAheadOfTime(tx);
  endOverdue(tx);
  endHostless(tx, patience);
  // A host is judged by its silence only when it has had the time to break it.
  if (awakeMs(tx, patience) > limits.hostSilentMs) {
    endUnconfirmed(tx, patience.stopMs);
    loseSilent(tx, patience.leaseMs);
    takeBackUnclaimed(tx);
  }
  renumberUnbegun(tx);
  requeueSent(tx, { all: false });
  // A host that has come back or gone may have changed who can run.
  admitNext(tx);
  reach('time uncommitted');
}

/** Whether there is anything to do: a read, so that an idle server does not write. */
export function hasExpirable(tx: Pick<Tx, 'db' | 'now'>): boolean {
  return (
    tx.db.get(`SELECT 1 FROM subagent_sessions WHERE status IN ${openStatuses} LIMIT 1`) !==
      undefined || tx.db.get('SELECT 1 FROM outbox LIMIT 1') !== undefined
  );
}

/**
 * Its owner has started it, and it did not begin: somebody may have ended its workflow before that could
 * ask for anything. A new number, or the owner would take it for started; if it is open still, another
 * start of it does nothing.
 */
function renumberUnbegun(tx: Tx): void {
  tx.db.run(
    `UPDATE subagent_sessions SET spawn_no = spawn_no + 1
     WHERE engine_state = 'unstarted' AND id IN (
       SELECT child_invocation_id FROM outbox WHERE state = 'sent' AND due_at <= :now)`,
    { now: tx.now },
  );
}

function endOverdue(tx: Tx): void {
  const rows = tx.db.all<InvocationRow>(
    `${selectRows}
     WHERE status IN ${openStatuses} AND deadline_at <= :now AND cancel_requested_at IS NULL`,
    { now: tx.now },
  );
  for (const row of rows) {
    cancelTree(tx, row.id, { code: 'wall_time', reason: (flagged) => whyOver(tx, flagged) });
  }
}

/** By whose limit: what an invocation asks for has no more time than it has itself, detached or not. */
function whyOver(tx: Tx, row: InvocationRow): string {
  let whose = row;
  for (;;) {
    const owner = whose.owner_invocation_id && findInvocation(tx.db, whose.owner_invocation_id);
    if (!owner || owner.deadline_at !== row.deadline_at) break;
    whose = owner;
  }
  const seconds = (Date.parse(whose.deadline_at) - Date.parse(whose.created_at)) / 1000;
  const time = whose === row ? `${seconds} s` : `the ${seconds} s of ${whose.id}`;
  return `did not end within ${time}, waiting included (limits.wallSeconds)`;
}

const awakeMs = (tx: Tx, { awakeSince }: Patience) =>
  awakeSince === undefined ? Infinity : Date.parse(tx.now) - Date.parse(awakeSince);

/** Nobody is there to run it, and nobody has come in all the time in which it could be waited for. */
function endHostless(tx: Tx, patience: Patience): void {
  // A host is not missed before it could have been heard, by this server or by the one before it.
  const hostWaitMs = Math.max(patience.hostWaitMs, limits.hostSilentMs);
  if (awakeMs(tx, patience) < hostWaitMs) return;
  const before = ago(tx, hostWaitMs);
  for (const row of boundToSilent(tx.db, before)) {
    endWithout(tx, row, `runner host ${row.bound}, where its files are, did not come back`);
  }
  if (listHosts(tx.db).some((host) => host.last_seen_at > before)) return;
  const rows = tx.db.all<InvocationRow>(
    `SELECT ${rowOf('s')} FROM subagent_sessions s
     WHERE s.created_at <= :before AND (s.status = 'pending' OR (s.status = 'waiting'
       AND (s.queued_at_ordinal IS NOT NULL OR s.host_id IS NOT NULL)))`,
    { before: ago(tx, hostWaitMs) },
  );
  for (const row of rows) endWithout(tx, row, 'no runner host came to run it');
}

function endWithout(tx: Tx, row: InvocationRow, error: string): void {
  const errorHint = 'See that a runner host is up (offshoot status), then ask again.';
  settle(tx, row.id, { status: 'timed_out', error, errorCode: 'no_host', errorHint });
}

/** Its host does not answer any more, or takes longer than stopping can take. */
function endUnconfirmed(tx: Tx, stopMs: number): void {
  const rows = tx.db.all<InvocationRow>(
    `SELECT ${rowOf('s')} FROM subagent_sessions s
     LEFT JOIN runs r ON r.invocation_id = s.id AND r.state = 'live'
     LEFT JOIN hosts h ON h.id = r.host_id
     WHERE s.status IN ${openStatuses} AND s.cancel_requested_at IS NOT NULL
       AND (s.cancel_requested_at <= :before OR h.last_seen_at < :silentSince)`,
    { before: ago(tx, stopMs), silentSince: ago(tx, limits.hostSilentMs) },
  );
  for (const row of rows) settle(tx, row.id, flaggedEnding(row, unconfirmedHint));
}

/** A host that has been silent for longer than its lease has ended its processes by itself. */
function loseSilent(tx: Tx, leaseMs: number): void {
  const margin = limits.hostSilentMs;
  const runs = tx.db.all<RunRow>(
    `SELECT r.* FROM runs r JOIN hosts h ON h.id = r.host_id
     WHERE r.state = 'live' AND h.last_seen_at <= :before`,
    { before: ago(tx, leaseMs + margin) },
  );
  const why = 'its host has not been heard of for longer than its lease';
  for (const run of runs) loseRun(tx, run, { why, wasStarted: true });
}

const ago = (tx: Tx, ms: number) => new Date(Date.parse(tx.now) - ms).toISOString();
