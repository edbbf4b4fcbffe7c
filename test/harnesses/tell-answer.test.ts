/** What the server says reaches each program in the form that it takes, where it takes it. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { hookEvents, type HookEvent } from '../../harnesses/hooks.ts';

const inject = { inject: 'Remember "this".' };
const nested = (hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: inject.inject },
});
const goOn = (decision: string) => ({ decision, reason: inject.inject });

test.each<[string, Partial<Record<HookEvent, unknown>>]>([
  [
    'claude-code',
    {
      'session-start': nested('SessionStart'),
      'user-prompt-submit': nested('UserPromptSubmit'),
      'subagent-start': nested('SubagentStart'),
      stop: goOn('block'),
    },
  ],
  [
    'codex',
    {
      'session-start': nested('SessionStart'),
      'user-prompt-submit': nested('UserPromptSubmit'),
      'subagent-start': nested('SubagentStart'),
      stop: goOn('block'),
    },
  ],
  [
    'gemini-cli',
    {
      'session-start': nested('SessionStart'),
      'user-prompt-submit': nested('BeforeAgent'),
      stop: goOn('deny'),
    },
  ],
  [
    'copilot-cli',
    {
      'session-start': { additionalContext: inject.inject },
      'user-prompt-submit': { additionalContext: inject.inject },
      'subagent-start': { additionalContext: inject.inject },
      stop: goOn('block'),
    },
  ],
  ['opencode', Object.fromEntries(hookEvents.map((event) => [event, inject]))],
  ['openclaw', Object.fromEntries(hookEvents.map((event) => [event, inject]))],
  ['one of tomorrow', Object.fromEntries(hookEvents.map((event) => [event, inject]))],
])(
  '%s is told each answer in its own form, and nothing at the other events',
  async (program, forms) => {
    const hooks = await hooksOf(program);
    const told = hookEvents.map((event) => [event, hooks.tellAnswer(event, inject)]);
    expect(told).toEqual(
      hookEvents.map((event) => [event, event in forms ? JSON.stringify(forms[event]) : '']),
    );
  },
);

test.each(['claude-code', 'codex', 'gemini-cli', 'copilot-cli'])(
  '%s is told nothing where there is nothing to say',
  async (program) => {
    const hooks = await hooksOf(program);
    for (const event of hookEvents) {
      expect(hooks.tellAnswer(event, { inject: '', summaryPrompt: 'Sum up.' })).toBe('');
    }
  },
);

interface Seen {
  printed: { reason: string };
  /** What the model was asked in the program's next request of the same turn. */
  told: string;
  nextStop: { stop_hook_active: boolean };
}

/** Taken from the real programs against a scripted model: what their hook printed at the end of a turn, and what they did. */
const seen = JSON.parse(
  readFileSync(new URL('../fixtures/stop-answers.json', import.meta.url), 'utf8'),
) as Record<string, Seen>;

test.each(Object.entries(seen))(
  '%s is told at the end of a turn what the real program was seen to go on with',
  async (program, { printed, told, nextStop }) => {
    const hooks = await hooksOf(program);
    expect(JSON.parse(hooks.tellAnswer('stop', { inject: printed.reason }))).toEqual(printed);
    expect(told).toContain(printed.reason);
    const next = hooks.readPayload('stop', nextStop);
    expect(next['stopHookActive']).toBe(true);
  },
);
