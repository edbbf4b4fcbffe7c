/** What an agent program's hook is to us, what we ask the server then, and how its answer is told to the program. */
import { objectOf, textOf, type JsonObject } from './json.ts';

/** As they stand in `POST /api/hooks/<event>`. */
export const hookEvents = [
  'session-start',
  'user-prompt-submit',
  'session-end',
  'pre-compaction',
  'compaction-complete',
  'session-checkpoint-extract',
  'subagent-start',
  'subagent-stop',
  'stop',
] as const;
export type HookEvent = (typeof hookEvents)[number];

export interface HarnessHooks {
  /** Of an event under the program's own name. `null`: it says nothing that we keep. */
  eventOf(name: string, payload: JsonObject): HookEvent | null;
  /** The fields of our request that the payload holds. */
  readPayload(event: HookEvent, payload: JsonObject): Fields;
  /** What is printed for the program: empty where there is nothing to say. */
  tellAnswer(event: HookEvent, answer: JsonObject): string;
}

/** A field without a value is left out of the request. */
export type Fields = Readonly<Record<string, string | boolean | null>>;

export interface HookCall {
  event: HookEvent;
  request: JsonObject;
}

/** `null`: this hook has nothing for us, or not what the event must have. */
export function readHook(
  hooks: HarnessHooks,
  { harness, name, payload }: { harness: string; name: string; payload: JsonObject },
): HookCall | null {
  const event = hookEvents.find((one) => one === name) ?? hooks.eventOf(name, payload);
  if (event === null) return null;
  const fields = Object.entries(hooks.readPayload(event, payload));
  const given = fields.filter(([, value]) => value !== null && value !== '');
  const request: JsonObject = { harness, ...Object.fromEntries(given) };
  return needs[event].every((field) => request[field] !== undefined) ? { event, request } : null;
}

const needs: Record<HookEvent, readonly string[]> = {
  'session-start': [],
  'user-prompt-submit': [],
  'session-end': [],
  'pre-compaction': [],
  'compaction-complete': ['summary'],
  'session-checkpoint-extract': ['sessionKey'],
  'subagent-start': ['harnessAgentId'],
  'subagent-stop': ['harnessAgentId'],
  stop: [],
};

/** The first of these fields that holds text. */
export function pick(payload: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(payload[name]);
    if (text !== null) return text;
  }
  return null;
}

export function pickObject(payload: JsonObject, name: string): JsonObject {
  return objectOf(payload[name]) ?? {};
}

/** What the server wants the model to know. */
export function injectOf(answer: JsonObject): string | null {
  return textOf(answer.inject);
}
