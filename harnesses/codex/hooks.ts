/** Hook commands of `hooks.json`: Claude Code's names, but a sub-agent's hooks name its own transcript. */
import { readClaudeFields } from '../claude-code/hooks.ts';
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { pick } from '../hooks.ts';
import { tellNested } from '../tell-answer.ts';
import { threadOf } from './threads.ts';

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
  readPayload: (event, payload) => {
    const path = pick(payload, 'transcript_path');
    const fields = readClaudeFields(payload);
    if (event !== 'subagent-stop') return { ...fields, transcriptPath: path };
    // Beside its own it names that of who asked for it.
    const asking = threadOf(path);
    return {
      ...fields,
      transcriptPath: pick(payload, 'agent_transcript_path'),
      parentHarnessAgentId: asking === fields.sessionKey ? null : asking,
    };
  },
  tellAnswer: tellNested(
    {
      'session-start': 'SessionStart',
      'user-prompt-submit': 'UserPromptSubmit',
      'subagent-start': 'SubagentStart',
    },
    'block',
  ),
};
