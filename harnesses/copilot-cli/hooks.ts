/**
 * Hook commands of `hooks/*.json`, in either spelling of the events. In a sub-agent's own hooks `sessionId` is the
 * sub-agent's, while its start and end name the session that it is in; so it has a session of its own.
 */
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { flag, injectOf, pick } from '../hooks.ts';
import { timeOf, type JsonObject } from '../json.ts';

const events: ReadonlyMap<string, HookEvent> = new Map([
  ['sessionstart', 'session-start'],
  ['userpromptsubmitted', 'user-prompt-submit'],
  ['userpromptsubmit', 'user-prompt-submit'],
  ['sessionend', 'session-end'],
  ['precompact', 'pre-compaction'],
  ['subagentstart', 'subagent-start'],
  ['subagentstop', 'subagent-stop'],
  ['agentstop', 'stop'],
  ['stop', 'stop'],
]);

export const copilotCliHooks: HarnessHooks = {
  // It gathers lines for a tenth of a second, and its last hook with a transcript comes before they are out.
  writesAfterMs: 200,
  eventOf: (name) => events.get(name.toLowerCase()) ?? null,
  readPayload: (event, payload) => ({
    sessionKey: pick(payload, 'sessionId', 'session_id'),
    project: pick(payload, 'cwd'),
    at: timeOf(payload.timestamp),
    runtimePath: 'legacy',
    source: pick(payload, 'source'),
    reason: pick(payload, 'reason', 'stopReason', 'stop_reason'),
    userMessage: pick(payload, 'prompt'),
    lastAssistantMessage: pick(payload, 'response', 'last_assistant_message'),
    stopHookActive: flag(payload, 'stop_hook_active'),
    ...readAgent(event, payload),
  }),
  tellAnswer(event, answer) {
    const text = injectOf(answer);
    if (text === null) return '';
    if (event === 'stop') return JSON.stringify({ decision: 'block', reason: text });
    return takesContext.has(event) ? JSON.stringify({ additionalContext: text }) : '';
  },
};

const takesContext: ReadonlySet<HookEvent> = new Set([
  'session-start',
  'user-prompt-submit',
  'subagent-start',
]);

/** All agents of a session share one transcript, in which each line says whose it is. */
function readAgent(event: HookEvent, payload: JsonObject) {
  const agent = pick(payload, 'agentId', 'agent_id');
  const parent = pick(payload, 'parentAgentId', 'parent_agent_id');
  const named = pick(payload, 'transcriptPath', 'transcript_path');
  const transcriptPath = event === 'subagent-start' ? null : named;
  if (agent === null) return { transcriptPath };
  const isOfParent = event === 'subagent-start' || event === 'subagent-stop';
  if (!isOfParent) return { harnessAgentId: agent, parentSessionKey: parent, transcriptPath };
  const session = pick(payload, 'sessionId', 'session_id');
  return {
    transcriptPath,
    harnessAgentId: agent,
    childSessionKey: agent,
    parentHarnessAgentId: parent === session ? null : parent,
    agentType: pick(payload, 'agentType', 'agent_type'),
  };
}
