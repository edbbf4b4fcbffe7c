import {
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { pokeSignal, pokesMax } from './messages.ts';
import { startChildren } from './start-children.ts';
import { takeNextSessionStep } from './store-steps.ts';

export interface AgentSessionInput {
  agentId: string;
  sessionKey: string;
}

/**
 * One external session's control state: it starts the children that the session asked for. It ends
 * when nothing is open and nobody has spoken for a while; the next message brings it back.
 */
export async function agentSession(input: AgentSessionInput): Promise<void> {
  let isPoked = false;
  let pokes = 0;
  const started = new Set<string>();
  setHandler(
    pokeSignal,
    () => {
      isPoked = true;
      pokes += 1;
    },
    { description: 'Ask the store what is next' },
  );

  for (;;) {
    isPoked = false;
    const next = await takeNextSessionStep(input.agentId, input.sessionKey);
    setCurrentDetails(next.details);
    const hasMore = await startChildren(next.children, started);
    if (isPoked || hasMore) continue;
    if (workflowInfo().continueAsNewSuggested || pokes > pokesMax) await continueAsNew(input);
    if (next.idleMs === null) await condition(() => isPoked);
    else if (!(await condition(() => isPoked, next.idleMs))) return;
  }
}
