/** Hook commands of `settings.json`. A sub-agent's hooks cannot be told from its parent's: Gemini names no agent. */
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { flag, pick } from '../hooks.ts';
import { timeOf, type JsonObject } from '../json.ts';
import { tellNested } from '../tell-answer.ts';

const events: ReadonlyMap<string, HookEvent> = new Map([
  ['SessionStart', 'session-start'],
  ['BeforeAgent', 'user-prompt-submit'],
  ['AfterAgent', 'stop'],
  ['SessionEnd', 'session-end'],
]);

export const geminiCliHooks: HarnessHooks = {
  eventOf(name, payload) {
    // By itself it comes before every turn, whether anything is compressed or not.
    if (name === 'PreCompress') return payload.trigger === 'manual' ? 'pre-compaction' : null;
    return events.get(name) ?? null;
  },
  readPayload: (_event, payload) => ({
    ...readAnswer(payload),
    sessionKey: pick(payload, 'session_id'),
    project: pick(payload, 'cwd'),
    at: timeOf(payload.timestamp),
    runtimePath: 'legacy',
    source: pick(payload, 'source'),
    reason: pick(payload, 'reason'),
    userMessage: pick(payload, 'prompt'),
    stopHookActive: flag(payload, 'stop_hook_active'),
  }),
  tellAnswer: tellNested(
    { 'session-start': 'SessionStart', 'user-prompt-submit': 'BeforeAgent' },
    'deny',
  ),
};

/**
 * `prompt_response` has all that was said since the prompt in one, the ends of pieces twice: beside the transcript, which
 * is whole by then, it would be said once more.
 */
function readAnswer(payload: JsonObject) {
  const transcriptPath = pick(payload, 'transcript_path');
  const answer = pick(payload, 'prompt_response');
  return { transcriptPath, lastAssistantMessage: transcriptPath === null ? answer : null };
}
