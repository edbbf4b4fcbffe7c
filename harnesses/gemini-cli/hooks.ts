/** Hook commands of `settings.json`. A sub-agent's hooks cannot be told from its parent's: Gemini names no agent. */
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { flag, pick } from '../hooks.ts';
import { timeOf } from '../json.ts';
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
    transcriptPath: pick(payload, 'transcript_path'),
    // The ends of its pieces stand in it twice: they are not the words that the transcript has.
    allSaid: pick(payload, 'prompt_response'),
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
