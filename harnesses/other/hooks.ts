/** A program that we do not know: our own names, or those that most programs use. */
import type { HarnessHooks } from '../hooks.ts';
import { flag, pick } from '../hooks.ts';
import { timeOf } from '../json.ts';
import { tellWhole } from '../tell-answer.ts';

export const otherHooks: HarnessHooks = {
  eventOf: () => null,
  readPayload: (_event, payload) => ({
    sessionKey: pick(payload, 'sessionKey', 'session_key', 'sessionId', 'session_id', 'sessionID'),
    agentId: pick(payload, 'agentId'),
    harnessAgentId: pick(payload, 'harnessAgentId', 'agent_id'),
    parentSessionKey: pick(payload, 'parentSessionKey', 'parent_session_key', 'parentID'),
    parentHarnessAgentId: pick(payload, 'parentHarnessAgentId'),
    childSessionKey: pick(payload, 'childSessionKey'),
    agentType: pick(payload, 'agentType', 'agent_type'),
    project: pick(payload, 'project', 'cwd'),
    runtimePath: pick(payload, 'runtimePath') ?? 'legacy',
    at: timeOf(payload.at ?? payload.timestamp),
    source: pick(payload, 'source'),
    reason: pick(payload, 'reason'),
    title: pick(payload, 'title'),
    transcript: pick(payload, 'transcript'),
    transcriptPath: pick(payload, 'transcriptPath', 'transcript_path'),
    userMessage: pick(payload, 'userMessage', 'user_message'),
    userPrompt: pick(payload, 'userPrompt', 'user_prompt', 'prompt'),
    lastAssistantMessage: pick(payload, 'lastAssistantMessage', 'last_assistant_message'),
    summary: pick(payload, 'summary'),
    stopHookActive: flag(payload, 'stopHookActive', 'stop_hook_active'),
  }),
  tellAnswer: tellWhole,
};
