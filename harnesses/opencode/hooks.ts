/** What a plugin is called with: an event of the bus as it is, or `{input, output}` of one of the other hooks. */
import { readContent } from '../content.ts';
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { pick, pickObject } from '../hooks.ts';
import { timeOf, type JsonObject } from '../json.ts';
import { tellWhole } from '../tell-answer.ts';

/** A session is idle after every turn and over only when it is deleted. */
const events: ReadonlyMap<string, HookEvent> = new Map([
  ['session.created', 'session-start'],
  ['chat.message', 'user-prompt-submit'],
  ['session.idle', 'stop'],
  ['session.deleted', 'session-end'],
  ['experimental.session.compacting', 'pre-compaction'],
]);

export const opencodeHooks: HarnessHooks = {
  eventOf: (name, payload) => events.get(name === 'event' ? String(payload.type) : name) ?? null,
  readPayload(event, payload) {
    const { input, output } = payload;
    const isCall = input !== undefined || output !== undefined;
    const lastAssistantMessage = pick(payload, 'lastAssistantMessage');
    const read = isCall ? readCall(payload) : readBusEvent(event, payload);
    return { runtimePath: 'plugin', lastAssistantMessage, ...read };
  },
  // It only says that a turn is over, and of one that was broken off twice: what is offered there would be taken for read.
  isAnswerRead: (_event, payload) => payload.type !== 'session.idle',
  tellAnswer: tellWhole,
};

/** A sub-agent is a session of its own, which names its parent as it is made. */
function readBusEvent(event: HookEvent, payload: JsonObject) {
  const properties = pickObject(payload, 'properties');
  const info = pickObject(properties, 'info');
  return {
    sessionKey: pick(properties, 'sessionID') ?? pick(info, 'id'),
    parentSessionKey: pick(info, 'parentID'),
    project: pick(info, 'directory') ?? pick(payload, 'directory'),
    title: ownTitle(pick(info, 'title')),
    // One that is deleted was updated by its last turn: its end is now.
    at: event === 'session-end' ? null : timeOf(pickObject(info, 'time').updated),
  };
}

/** Until a model has named it, a session is called by its time: then its first words say more. */
function ownTitle(title: string | null): string | null {
  const isMadeUp =
    title !== null && /^(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z$/.test(title);
  return isMadeUp ? null : (title?.slice(0, titleCharsMax) ?? null);
}

/** The server takes no longer ones. */
const titleCharsMax = 200;

/** `directory` and `lastAssistantMessage` are the plugin's to add: the hooks do not hold them. */
function readCall(payload: JsonObject) {
  const output = pickObject(payload, 'output');
  return {
    sessionKey: pick(pickObject(payload, 'input'), 'sessionID'),
    project: pick(payload, 'directory'),
    userMessage: readContent(output.parts).text,
    at: timeOf(pickObject(pickObject(output, 'message'), 'time').created),
  };
}
