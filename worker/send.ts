import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { isFinal } from '../contract/words.ts';
import { findInvocation, type InvocationRow } from '../store/invocations.ts';
import { describeSession, describeStart } from '../store/lifecycle/next-step.ts';
import type { OutboxRow } from '../store/outbox.ts';
import { findSessionById } from '../store/sessions.ts';
import type { RelayDeps } from './relay.ts';

/** Sends what the rows of one workflow ask for; false when there is nothing to be said any more. */
export async function send(deps: RelayDeps, rows: OutboxRow[]): Promise<boolean> {
  const has = (kind: OutboxRow['kind']) => rows.some((row) => row.kind === kind);
  const first = rows[0]!;
  if (first.target_session_id !== null) return pokeSession(deps, first, first.target_session_id);
  if (has('start') && !(await start(deps, first))) return false;
  const handle = deps.client.workflow.getHandle(first.workflow_id);
  if (has('cancel')) await handle.cancel();
  if (has('poke')) await handle.signal('poke');
  return true;
}

/**
 * Starts a root, also under the id of a workflow that has closed: it was ended by hand, or belonged to an
 * invocation that was deleted and asked for anew. Should it have closed because all is done, the new
 * one hears so and ends. An open one has done what we wanted, or is about to close and has to look again.
 */
async function start(deps: RelayDeps, row: OutboxRow): Promise<boolean> {
  const invocation = findInvocation(deps.store.db, row.target_invocation_id!);
  // What has ended before its workflow began is started, too: it closes at once, with that ending.
  const isPast = !invocation || (isFinal(invocation.status) && !isToBegin(invocation));
  if (isPast) return false;
  const story = describeStart(deps.store, deps.surroundings(), invocation);
  try {
    await deps.client.workflow.start('subAgent', {
      args: [{ invocationId: invocation.id }],
      workflowId: story.workflowId,
      taskQueue: deps.controlQueue,
      workflowTaskTimeout: '2s',
      staticSummary: story.summary,
      staticDetails: story.details,
      memo: story.memo,
      typedSearchAttributes: attributePairs(story.attributes),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await deps.client.workflow.getHandle(row.workflow_id).signal('poke');
  }
  return true;
}

const isToBegin = (row: InvocationRow) => row.engine_state === 'unstarted';

/** An external session's workflow may have gone to rest: the message brings it back. */
async function pokeSession(deps: RelayDeps, row: OutboxRow, sessionId: number): Promise<boolean> {
  const session = findSessionById(deps.store.db, sessionId);
  if (!session) {
    // Deleted: its workflow is told if it is there, and not begun for this.
    await deps.client.workflow.getHandle(row.workflow_id).signal('poke');
    return true;
  }
  const story = describeSession(deps.store, deps.surroundings(), session);
  await deps.client.workflow.signalWithStart('agentSession', {
    args: [
      {
        agentId: session.agent_id,
        sessionKey: session.session_key,
        attributes: story.attributes,
      },
    ],
    workflowId: row.workflow_id,
    taskQueue: deps.controlQueue,
    signal: 'poke',
    signalArgs: [],
    workflowTaskTimeout: '2s',
    staticSummary: story.summary,
    staticDetails: story.details,
    memo: story.memo,
    typedSearchAttributes: attributePairs(story.attributes),
  });
  return true;
}

function attributePairs(attributes: Record<string, string>) {
  return Object.entries(attributes).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  }));
}
