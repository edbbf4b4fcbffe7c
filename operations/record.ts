/** The record of an invocation as it is answered: the row, why it is not done, and where to look. */
import type { SubAgentRecord } from '../contract/records.ts';
import { isFinal } from '../contract/words.ts';
import { isLive, listHosts } from '../store/hosts.ts';
import { liveRun } from '../store/lifecycle/claim.ts';
import { flaggedEnding, unconfirmedHint } from '../store/lifecycle/settle.ts';
import { boundHost } from '../store/placement.ts';
import { invocationRecord } from '../store/invocation-record.ts';
import { countOpenChildren, openInvocationOn, type InvocationRow } from '../store/invocations.ts';
import { wordsOf, type Words } from '../store/words.ts';
import type { Deps } from './deps.ts';

/** Of what was deleted meanwhile the words are gone. */
export const noWords: Words = { prompt: '', result_content: null };

export function recordOf(
  deps: Deps,
  row: InvocationRow,
  words = wordsOf(deps.store.db, row.id) ?? noWords,
): SubAgentRecord {
  const engine = deps.engine();
  const record = invocationRecord(row, words, {
    pendingReason: pendingReason(deps, row),
    temporalUrl: (workflowId) =>
      engine.uiUrl === null
        ? null
        : `${engine.uiUrl}/namespaces/${engine.namespace}/workflows/${encodeURIComponent(workflowId)}`,
  });
  return isConfirmedSince(deps, row)
    ? { ...record, errorHint: flaggedEnding(row).errorHint }
    : record;
}

/** Its process was out of reach when it ended. Since then its host has said that it is over, or lost it. */
function isConfirmedSince(deps: Deps, row: InvocationRow): boolean {
  return row.error_hint === unconfirmedHint && liveRun(deps.store, row.id) === undefined;
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
  if (row.host_id !== null) return 'starting';
  if (openInvocationOn(db, row.session_id)?.id !== row.id) {
    return 'waits for an earlier message on its session';
  }
  return whyNotAdmitted(deps, row);
}

function whyNotAdmitted(deps: Deps, row: InvocationRow): string {
  const { db } = deps.store;
  const now = deps.store.now();
  const hosts = listHosts(db).filter((host) => isLive(host, now));
  if (hosts.length === 0) return 'no runner host is up';
  const bound = boundHost(db, row);
  if (bound && !isLive(bound, now)) {
    return `runner host ${bound.id}, where its files are, is away: it waits for it`;
  }
  if (hosts.every((host) => host.draining === 1)) return 'every runner host is about to end';
  if (bound?.draining === 1) {
    return `runner host ${bound.id}, where its files are, is about to end: it waits for it`;
  }
  const where = bound && hosts.length > 1 ? ` on runner host ${bound.id}` : '';
  return `no free slot${where}: ${ahead(deps, row)} before it`;
}

function ahead(deps: Deps, row: InvocationRow): number {
  return deps.store.db.get<{ n: number }>(
    `SELECT count(*) AS n FROM subagent_sessions WHERE queued_at_ordinal IS NOT NULL
       AND (queue_class, queued_at_ordinal) < (:class, :ordinal)`,
    { class: row.queue_class, ordinal: row.queued_at_ordinal },
  )!.n;
}
