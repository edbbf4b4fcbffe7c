/** The form in which Claude Code, and whoever took it over, is told something. */
import { injectOf, type HookEvent } from './hooks.ts';
import type { JsonObject } from './json.ts';

/** Under which of its own names a program takes context, by our event. */
export type ContextNames = Partial<Record<HookEvent, string>>;

/**
 * Context where the program takes it. At `stop` the words are the reason why the agent goes on: Claude Code would also go
 * on for `additionalContext` there, but without an end. A sub-agent's end is never held up.
 */
export function tellNested(
  names: ContextNames,
  refusal: 'block' | 'deny',
): (event: HookEvent, answer: JsonObject) => string {
  return (event, answer) => {
    const text = injectOf(answer);
    if (text === null) return '';
    if (event === 'stop') return JSON.stringify({ decision: refusal, reason: text });
    const name = names[event];
    if (name === undefined) return '';
    return JSON.stringify({
      hookSpecificOutput: { hookEventName: name, additionalContext: text },
    });
  };
}

/** To a plugin, which knows what to do with it: our answer as it is. */
export function tellWhole(_event: HookEvent, answer: JsonObject): string {
  return JSON.stringify(answer);
}
