/** What must reach the engine. The table is the queue; a row goes when its effect has been seen. */
import { agentSessionWorkflowId, subAgentWorkflowId } from '../contract/names.ts';
import type { Db } from './database.ts';
import type { InvocationRow } from './invocations.ts';
import { sessionById } from './sessions.ts';
import type { Tx } from './write-queue.ts';

export interface OutboxRow {
  id: number;
  workflow_id: string;
  kind: 'start' | 'poke' | 'cancel' | 'session';
  target_invocation_id: string | null;
  target_session_id: number | null;
  child_invocation_id: string | null;
  state: 'queued' | 'sent';
  attempts: number;
  created_at: string;
  due_at: string;
}

/** Asks whoever owns the invocation to start it: its owner's workflow, or nobody's. */
export function queueSpawn(tx: Tx, child: InvocationRow): void {
  if (child.owner_invocation_id !== null) {
    insert(tx, {
      workflowId: subAgentWorkflowId(child.owner_invocation_id),
      kind: 'poke',
      invocation: child.owner_invocation_id,
      child: child.id,
    });
  } else if (child.owner_session_id !== null) {
    queueSessionPoke(tx, child.owner_session_id, child.id);
  } else {
    queueStart(tx, child.id);
  }
}

/** Starts it as a root, whatever asked for it. */
export function queueStart(tx: Tx, invocationId: string): void {
  insert(tx, {
    workflowId: subAgentWorkflowId(invocationId),
    kind: 'start',
    invocation: invocationId,
    child: invocationId,
  });
}

/**
 * Tells a workflow to ask the store what is next, at once or after a while. A poke that is under way
 * already serves, by the earlier of the two times; that for a child's spawn does not, as it goes with
 * the child. One that the engine did not take keeps its pause.
 */
export function queuePoke(tx: Tx, invocationId: string, afterMs = 0): void {
  const dueAt = new Date(Date.parse(tx.now) + afterMs).toISOString();
  const known = tx.db.get<Pick<OutboxRow, 'id' | 'attempts' | 'due_at'>>(
    `SELECT id, attempts, due_at FROM outbox WHERE target_invocation_id = :invocationId
       AND kind = 'poke' AND state = 'queued' AND child_invocation_id IS NULL`,
    { invocationId },
  );
  if (!known) {
    insert(tx, {
      workflowId: subAgentWorkflowId(invocationId),
      kind: 'poke',
      invocation: invocationId,
      dueAt,
    });
  } else if (known.attempts === 0 && dueAt < known.due_at) {
    tx.db.run('UPDATE outbox SET due_at = :dueAt WHERE id = :id', { id: known.id, dueAt });
    tx.note({ kind: 'outbox' });
  }
}

/** What was to be told later, and has lost its point before anybody was told. */
export function dropLaterPokes(tx: Tx, invocationId: string): void {
  tx.db.run(
    `DELETE FROM outbox WHERE target_invocation_id = :invocationId AND kind = 'poke'
       AND child_invocation_id IS NULL AND attempts = 0 AND due_at > :now`,
    { invocationId, now: tx.now },
  );
}

/** Cancels the workflow in the engine, so that Temporal UI calls it cancelled, too. */
export function queueCancel(tx: Tx, invocationId: string): void {
  insert(tx, {
    workflowId: subAgentWorkflowId(invocationId),
    kind: 'cancel',
    invocation: invocationId,
  });
}

export function queueSessionPoke(tx: Tx, sessionId: number, child?: string): void {
  const session = sessionById(tx.db, sessionId);
  insert(tx, {
    workflowId: agentSessionWorkflowId(session.agent_id, session.session_key),
    kind: 'session',
    session: sessionId,
    ...(child === undefined ? {} : { child }),
  });
}

function insert(
  tx: Tx,
  row: {
    workflowId: string;
    kind: OutboxRow['kind'];
    invocation?: string;
    session?: number;
    child?: string;
    dueAt?: string;
  },
): void {
  tx.db.run(
    `INSERT INTO outbox (workflow_id, kind, target_invocation_id, target_session_id,
                         child_invocation_id, created_at, due_at)
     VALUES (:workflowId, :kind, :invocation, :session, :child, :now, :dueAt)`,
    {
      workflowId: row.workflowId,
      kind: row.kind,
      invocation: row.invocation ?? null,
      session: row.session ?? null,
      child: row.child ?? null,
      now: tx.now,
      dueAt: row.dueAt ?? tx.now,
    },
  );
  tx.note({ kind: 'outbox' });
}

export function dueRows(db: Db, now: string, limit: number): OutboxRow[] {
  return db.all(
    `SELECT * FROM outbox WHERE state = 'queued' AND due_at <= :now ORDER BY id LIMIT +:limit`,
    { now, limit },
  );
}

/** Sent, not done: without effect by `again` it is sent anew. A request to cancel is the engine's own from then on. */
export function markSent(tx: Tx, ids: number[], again: string): void {
  tx.db.run(
    `DELETE FROM outbox WHERE kind = 'cancel' AND id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(ids) },
  );
  tx.db.run(
    `UPDATE outbox SET state = 'sent', attempts = attempts + 1, due_at = :again
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(ids), again },
  );
}

export function postpone(tx: Tx, ids: number[], until: string): void {
  tx.db.run(
    `UPDATE outbox SET state = 'queued', attempts = attempts + 1, due_at = :until
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(ids), until },
  );
}

/** Rows that were sent and have shown no effect in time, or all that were sent, are due again. */
export function requeueSent(tx: Tx, options: { all: boolean }): number {
  const count = tx.db.run(
    `UPDATE outbox SET state = 'queued', due_at = :now
     WHERE state = 'sent' AND (:all = 1 OR due_at <= :now)`,
    { now: tx.now, all: options.all ? 1 : 0 },
  );
  if (count > 0) tx.note({ kind: 'outbox' });
  return count;
}

/** Whether its workflow is still to begin, and somebody is asked to see to it. */
export function isSpawning(db: Db, child: string): boolean {
  return (
    db.get('SELECT 1 FROM outbox WHERE child_invocation_id = :child LIMIT 1', { child }) !==
    undefined
  );
}

/** The effect of a spawn: the child's workflow has begun. */
export function closeSpawn(tx: Tx, child: string): void {
  tx.db.run('DELETE FROM outbox WHERE child_invocation_id = :child', { child });
}

/** The effect of every other message: its receiver has asked what is next. */
export function closePokes(tx: Tx, invocationId: string): void {
  tx.db.run(
    'DELETE FROM outbox WHERE target_invocation_id = :invocationId AND child_invocation_id IS NULL',
    { invocationId },
  );
}

/** The same for an external session: by its workflow, which may be asking for one that was deleted. */
export function closeSessionPokes(tx: Tx, agentId: string, sessionKey: string): void {
  tx.db.run(
    `DELETE FROM outbox
     WHERE workflow_id = :workflowId AND kind = 'session' AND child_invocation_id IS NULL`,
    { workflowId: agentSessionWorkflowId(agentId, sessionKey) },
  );
}

export function deleteRows(tx: Tx, ids: number[]): void {
  tx.db.run('DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(:ids))', {
    ids: JSON.stringify(ids),
  });
}

export function outboxState(db: Db): { rows: number; oldest: string | null } {
  // The lowest id is the oldest row: found without looking at the rest.
  return db.get(
    `SELECT count(*) AS rows, (SELECT created_at FROM outbox ORDER BY id LIMIT 1) AS oldest
     FROM outbox`,
  )!;
}
