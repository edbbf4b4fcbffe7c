/** Hook commands of `hooks.json`: Claude Code's names, but a sub-agent's hooks name its own transcript. */
import { readClaudeFields } from '../claude-code/hooks.ts';
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { pick } from '../hooks.ts';
import { tellNested } from '../tell-answer.ts';

/** PostCompact comes without the summary, so `compaction-complete` is made of it only where one is given. */
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

export const codexHooks: HarnessHooks = {
  eventOf: (name) => events.get(name) ?? null,
  readPayload: (event, payload) => ({
    ...readClaudeFields(payload),
    transcriptPath: pick(
      payload,
      event === 'subagent-stop' ? 'agent_transcript_path' : 'transcript_path',
    ),
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
