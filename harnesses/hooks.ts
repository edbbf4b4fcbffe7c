/** What an agent program's hook is to us, what we ask the server then, and how its answer is told to the program. */
import { limits } from '../contract/limits.ts';
import { keptFields } from '../contract/unknown-fields.ts';
import { objectOf, textOf, watchReads, type JsonObject } from './json.ts';

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
  /** Whether the program does anything with what this hook is answered; yes, where it is not said. */
  isAnswerRead?(event: HookEvent, payload: JsonObject): boolean;
  /** How long after it calls a hook the program has written what came before into its transcript. */
  writesAfterMs?: number;
  /** What is printed for the program: empty where there is nothing to say. */
  tellAnswer(event: HookEvent, answer: JsonObject): string;
}

/** A field without a value is left out of the request. */
export type Fields = Readonly<Record<string, string | boolean | null>>;

export interface HookCall {
  event: HookEvent;
  request: JsonObject;
  /** Nobody reads what it is answered. */
  isUnread: boolean;
}

/** `null`: this hook has nothing for us, or not what the event must have. */
export function readHook(
  hooks: HarnessHooks,
  { harness, name, payload }: { harness: string; name: string; payload: JsonObject },
): HookCall | null {
  const { seen, unread } = watchReads(payload);
  const event = hookEvents.find((one) => one === name) ?? hooks.eventOf(name, seen);
  if (event === null) return null;
  const fields = Object.entries(hooks.readPayload(event, seen));
  const given = fields.filter(([, value]) => value !== null && value !== '');
  const request: JsonObject = { harness, ...Object.fromEntries(given), ...unknownOf(unread()) };
  if (!needs[event].every((field) => request[field] !== undefined)) return null;
  return { event, request, isUnread: hooks.isAnswerRead?.(event, payload) === false };
}

/** What we know nothing of is kept with the turn, under the program's own names, as far as there is room. */
function unknownOf(unread: JsonObject): JsonObject {
  const fields = Object.entries(unread).filter(
    ([name]) => !ourFields.has(name) && !eventNames.has(name),
  );
  return keptFields(fields, limits.hookUnknownBytesMax) ?? {};
}

/** What the event is called was said on the command line. */
const eventNames: ReadonlySet<string> = new Set(['hook_event_name', 'hookEventName']);

/** Of any hook, as `contract/hooks.ts` has them: a program means something else by such a name. */
export const ourFields: ReadonlySet<string> = new Set([
  ...['harness', 'sessionKey', 'sessionId', 'agentId', 'harnessAgentId', 'project', 'cwd', 'at'],
  ...['runtimePath', 'idempotencyKey', 'transcript', 'transcriptPath', 'lastAssistantMessage'],
  ...['transcriptOptional'],
  ...['parentSessionKey', 'parentKey', 'parentId', 'parentID', 'source', 'title', 'reason'],
  ...['userMessage', 'userPrompt', 'summary', 'childSessionKey', 'parentHarnessAgentId'],
  ...['agentType', 'prompt', 'allSaid', 'stopHookActive'],
]);

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
    if (text !== null && text.trim() !== '') return text;
  }
  return null;
}

/** The first of these fields that says yes or no. */
export function flag(payload: JsonObject, ...names: readonly string[]): boolean | null {
  const values = names.map((name) => payload[name]);
  return values.find((value) => typeof value === 'boolean') ?? null;
}

export function pickObject(payload: JsonObject, name: string): JsonObject {
  return objectOf(payload[name]) ?? {};
}

/** What the server wants the model to know. */
export function injectOf(answer: JsonObject): string | null {
  return textOf(answer.inject);
}
