/** What time brings about. Called from a timer of the server; everything here may be called twice. */
import { limits } from '../../contract/limits.ts';
import { isLive, listHosts } from '../hosts.ts';
import { openStatuses, type InvocationRow } from '../invocations.ts';
import { requeueSent } from '../outbox.ts';
import { admitNext } from '../admission.ts';
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
}

export function expire(tx: Tx, patience: Patience): void {
  endOverdue(tx);
  endHostless(tx, patience.hostWaitMs);
  endUnconfirmed(tx, patience.stopMs);
  loseSilent(tx, patience.leaseMs);
  requeueSent(tx, { all: false });
  // A host that has come back or gone may have changed who can run.
  admitNext(tx);
}

/** Whether there is anything to do: a read, so that an idle server does not write. */
export function hasExpirable(tx: Pick<Tx, 'db' | 'now'>): boolean {
  return (
    tx.db.get(`SELECT 1 FROM subagent_sessions WHERE status IN ${openStatuses} LIMIT 1`) !==
      undefined || tx.db.get('SELECT 1 FROM outbox LIMIT 1') !== undefined
  );
}

function endOverdue(tx: Tx): void {
  const rows = tx.db.all<InvocationRow>(
    `SELECT * FROM subagent_sessions
     WHERE status IN ${openStatuses} AND deadline_at <= :now AND cancel_requested_at IS NULL`,
    { now: tx.now },
  );
  for (const row of rows) {
    cancelTree(tx, row.id, { code: 'wall_time', reason: 'the time for this work is over' });
  }
}

/** Nobody is there to run it, and nobody has come in time. */
function endHostless(tx: Tx, hostWaitMs: number): void {
  if (listHosts(tx.db).some((host) => isLive(host, tx.now))) return;
  const rows = tx.db.all<InvocationRow>(
    `SELECT s.* FROM subagent_sessions s
     WHERE s.status = 'pending' AND s.created_at <= :before`,
    { before: ago(tx, hostWaitMs) },
  );
  for (const row of rows) {
    settle(tx, row.id, {
      status: 'timed_out',
      error: 'no runner host came to run it',
      errorCode: 'no_host',
      errorHint: 'See that a runner host is up (offshoot status), then ask again.',
    });
  }
}

function endUnconfirmed(tx: Tx, stopMs: number): void {
  const rows = tx.db.all<InvocationRow>(
    `SELECT * FROM subagent_sessions
     WHERE status IN ${openStatuses} AND cancel_requested_at <= :before`,
    { before: ago(tx, stopMs) },
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
