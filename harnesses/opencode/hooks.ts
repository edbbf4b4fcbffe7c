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
  readPayload(_event, payload) {
    const { input, output } = payload;
    const isCall = input !== undefined || output !== undefined;
    const lastAssistantMessage = pick(payload, 'lastAssistantMessage');
    const read = isCall ? readCall(payload) : readBusEvent(payload);
    return { runtimePath: 'plugin', lastAssistantMessage, ...read };
  },
  // It only says that a turn is over, and of one that was broken off twice: what is offered there would be taken for read.
  isAnswerRead: (_event, payload) => payload.type !== 'session.idle',
  tellAnswer: tellWhole,
};

/** A sub-agent is a session of its own, which names its parent as it is made. */
function readBusEvent(event: JsonObject) {
  const properties = pickObject(event, 'properties');
  const info = pickObject(properties, 'info');
  return {
    sessionKey: pick(properties, 'sessionID') ?? pick(info, 'id'),
    parentSessionKey: pick(info, 'parentID'),
    project: pick(info, 'directory') ?? pick(event, 'directory'),
    title: pick(info, 'title')?.slice(0, titleCharsMax) ?? null,
    at: timeOf(pickObject(info, 'time').updated),
  };
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
