/** The record of an invocation as it is answered: the row, why it is not done, and where to look. */
import type { SubAgentRecord } from '../contract/records.ts';
import { isFinal } from '../contract/words.ts';
import { isLive, listHosts } from '../store/hosts.ts';
import {
  countOpenChildren,
  invocationRecord,
  openInvocationOn,
  type InvocationRow,
} from '../store/invocations.ts';
import type { Deps } from './deps.ts';

export function recordOf(deps: Deps, row: InvocationRow): SubAgentRecord {
  const engine = deps.engine();
  return invocationRecord(row, {
    pendingReason: pendingReason(deps, row),
    temporalUrl: (workflowId) =>
      engine.uiUrl === null
        ? null
        : `${engine.uiUrl}/namespaces/${engine.namespace}/workflows/${encodeURIComponent(workflowId)}`,
  });
}

function pendingReason(deps: Deps, row: InvocationRow): string | null {
  if (isFinal(row.status)) return null;
  if (row.cancel_requested_at !== null) return 'being cancelled: its process is asked to stop';
  if (row.status === 'running') return null;
  return whyNotRunning(deps, row);
}

function whyNotRunning(deps: Deps, row: InvocationRow): string {
  const { db } = deps.store;
  const wantsToRun = row.queued_at_ordinal !== null || row.host_id !== null;
  if (!wantsToRun && row.status === 'waiting') {
    return `waits for ${countOpenChildren(db, { invocationId: row.id })} open children`;
  }
  if (openInvocationOn(db, row.session_id)?.id !== row.id) {
    return 'waits for an earlier message on its session';
  }
  if (row.host_id === null) {
    const now = deps.store.now();
    if (!listHosts(db).some((host) => isLive(host, now))) return 'no runner host is up';
    return `no free slot: ${ahead(deps, row)} before it`;
  }
  if (!deps.engine().connected) return 'the engine is down; it starts as soon as it is back';
  return 'starting';
}

function ahead(deps: Deps, row: InvocationRow): number {
  return deps.store.db.get<{ n: number }>(
    `SELECT count(*) AS n FROM subagent_sessions WHERE queued_at_ordinal IS NOT NULL
       AND (queue_class, queued_at_ordinal) < (:class, :ordinal)`,
    { class: row.queue_class, ordinal: row.queued_at_ordinal },
  )!.n;
}
