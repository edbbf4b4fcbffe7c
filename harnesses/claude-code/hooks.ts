/** Hook commands of `settings.json`. */
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { flag, pick } from '../hooks.ts';
import type { JsonObject } from '../json.ts';
import { tellNested } from '../tell-answer.ts';

const events: ReadonlyMap<string, HookEvent> = new Map([
  ['SessionStart', 'session-start'],
  ['UserPromptSubmit', 'user-prompt-submit'],
  ['SessionEnd', 'session-end'],
  ['PreCompact', 'pre-compaction'],
  ['PostCompact', 'compaction-complete'],
  ['SubagentStart', 'subagent-start'],
  ['SubagentStop', 'subagent-stop'],
  ['Stop', 'stop'],
]);

export const claudeCodeHooks: HarnessHooks = {
  eventOf(name, payload) {
    // A sub-agent that fails has no SubagentStop. The session's own failure is followed by its SessionEnd.
    if (name === 'StopFailure') return pick(payload, 'agent_id') === null ? null : 'subagent-stop';
    return events.get(name) ?? null;
  },
  readPayload: (event, payload) => ({
    ...readClaudeFields(payload),
    transcriptPath: transcriptPath(event, payload),
  }),
  tellAnswer: tellNested(
    {
      'session-start': 'SessionStart',
      'user-prompt-submit': 'UserPromptSubmit',
      'subagent-start': 'SubagentStart',
    },
    'block',
  ),
};

/** Codex took these names over. `agent_id` is the program's own id of a sub-agent, never whose data it is. */
export function readClaudeFields(payload: JsonObject) {
  return {
    sessionKey: pick(payload, 'session_id'),
    harnessAgentId: pick(payload, 'agent_id'),
    agentType: pick(payload, 'agent_type'),
    project: pick(payload, 'cwd'),
    runtimePath: 'legacy',
    source: pick(payload, 'source'),
    reason: pick(payload, 'reason', 'error'),
    userMessage: pick(payload, 'prompt'),
    lastAssistantMessage: pick(payload, 'last_assistant_message'),
    summary: pick(payload, 'compact_summary'),
    stopHookActive: flag(payload, 'stop_hook_active'),
  };
}

/** In what a sub-agent reports, `transcript_path` is the session's: its words must not become the sub-agent's. */
function transcriptPath(event: HookEvent, payload: JsonObject): string | null {
  if (event === 'subagent-stop') return pick(payload, 'agent_transcript_path');
  return pick(payload, 'agent_id') === null ? pick(payload, 'transcript_path') : null;
}
