/**
 * The engine's open workflows beside the store's open rows. What people do by hand in Temporal UI, and
 * what a backup brings back, sends no message: only looking finds it. `docs/reconciliation.md` is the table.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Log } from '../contract/log.ts';
import { subAgentWorkflowId } from '../contract/names.ts';
import { limits } from '../contract/limits.ts';
import { isFinal } from '../contract/words.ts';
import type { Store } from '../store/index.ts';
import { begunInvocations, findInvocation } from '../store/invocations.ts';
import { hasExpirable } from '../store/lifecycle/expire.ts';
import { respawnLost } from '../store/lifecycle/rebuild.ts';
import { findSession } from '../store/sessions.ts';

export interface CompareDeps {
  store: Store;
  client: Client;
  controlQueue: string;
  everyMs: number;
  log: Log;
}

/** Once at each connect, when a backup may have come back, and then from time to time while anything is open. */
export async function keepComparing(deps: CompareDeps, signal: AbortSignal): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const { db, now } = deps.store;
      if (isFirst || hasExpirable({ db, now: now() })) await compareOnce(deps);
    } catch (error) {
      // An engine that is away is the relay's to notice; whatever it was, the next look finds it again.
      if (!signal.aborted) deps.log(`comparing store and engine: ${String(error)}`);
    }
    await sleep(deps.everyMs, undefined, { signal }).catch(() => {});
  }
}

async function compareOnce({ store, client, controlQueue, log }: CompareDeps): Promise<void> {
  // Read before the engine is asked: what begins meanwhile must not be taken for missing.
  const begun = begunInvocations(store.db, limits.compareRowsMax);
  const running = new Set<string>();
  const query = `TaskQueue = '${controlQueue}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query, pageSize: PAGE })) {
    running.add(workflowId);
    if (isAstray(store, workflowId, memo)) await poke(client, workflowId);
  }
  for (const row of begun) {
    const workflowId = subAgentWorkflowId(row.id);
    // The list lags behind a little; the workflow itself does not.
    if (running.has(workflowId) || (await isRunning(client, workflowId))) continue;
    if (await store.write((tx) => respawnLost(tx, row))) {
      log(`${workflowId} is not in the engine any more: it is begun again`, { invocation: row.id });
    }
  }
}

const PAGE = 1000;

/** It has missed that its row has ended, is gone, or has to be begun again: it has to ask once more. */
function isAstray({ db }: Store, workflowId: string, memo: Record<string, unknown> = {}): boolean {
  const id = /^subagent\/(.*)$/s.exec(workflowId)?.[1];
  if (id !== undefined) {
    const row = findInvocation(db, id);
    return !row || isFinal(row.status) || row.engine_state === 'unstarted';
  }
  // A session's workflow ends by itself when it is idle, except that of a session that is not there.
  const { agent, session } = memo as { agent?: string; session?: string };
  if (agent === undefined || session === undefined) return false;
  return findSession(db, agent, session) === undefined;
}

async function poke(client: Client, workflowId: string): Promise<void> {
  await client.workflow.getHandle(workflowId).signal('poke').catch(unlessGone);
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const found = await client.workflow.getHandle(workflowId).describe().catch(unlessGone);
  return found?.status.name === 'RUNNING';
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
