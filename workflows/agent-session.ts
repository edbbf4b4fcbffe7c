import {
  condition,
  continueAsNew,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { receivePokes } from './messages.ts';
import { attributePairs, lately, startChildren } from './start-children.ts';
import { takeNextSessionStep } from './store-steps.ts';

export interface AgentSessionInput {
  agentId: string;
  sessionKey: string;
  /** As it was started with. Not what Temporal says of itself: that is another thing when one was removed, and no replay's to rely on. */
  attributes?: Record<string, string>;
}

/**
 * One external session's control state: it starts the children that the session asked for. It ends
 * when nothing is open and nobody has spoken for a while; the next message brings it back.
 */
export async function agentSession(input: AgentSessionInput): Promise<void> {
  const pokes = receivePokes();
  const started = new Set<string>();
  let shown = input.attributes ?? {};

  for (;;) {
    pokes.forget();
    const next = await takeNextSessionStep(input.agentId, input.sessionKey, lately(started));
    setCurrentDetails(next.details);
    shown = showAttributes(shown, next.attributes);
    const hasMore = await startChildren(next, started);
    if (pokes.have() || hasMore) continue;
    const isLong = workflowInfo().continueAsNewSuggested || pokes.areTooMany();
    if (isLong) await continueAsNew({ ...input, attributes: shown });
    if (next.idleMs === null) await condition(pokes.have);
    else if (!(await condition(pokes.have, next.idleMs))) return;
  }
}

/** Only what is not shown yet: each time is an event in the history. Answers what is shown then. */
function showAttributes(
  shown: Record<string, string>,
  attributes: Record<string, string> = {},
): Record<string, string> {
  const fresh = Object.entries(attributes).filter(([name, value]) => shown[name] !== value);
  if (fresh.length === 0) return shown;
  upsertSearchAttributes(attributePairs(Object.fromEntries(fresh)));
  return { ...shown, ...attributes };
}
