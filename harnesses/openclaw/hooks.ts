/** What a plugin is called with, as `{event, ctx}`. Session keys tell the agent and its sub-agents by themselves. */
import { readContent } from '../content.ts';
import type { HarnessHooks, HookEvent } from '../hooks.ts';
import { flag, pick, pickObject } from '../hooks.ts';
import { listOf, objectOf, timeOf, type JsonObject } from '../json.ts';
import { tellWhole } from '../tell-answer.ts';

const events: ReadonlyMap<string, HookEvent> = new Map([
  ['session_start', 'session-start'],
  ['before_prompt_build', 'user-prompt-submit'],
  ['before_agent_finalize', 'stop'],
  ['agent_end', 'stop'],
  ['session_end', 'session-end'],
  ['before_compaction', 'pre-compaction'],
  ['after_compaction', 'compaction-complete'],
  ['subagent_spawned', 'subagent-start'],
  ['subagent_ended', 'subagent-stop'],
]);

export const openclawHooks: HarnessHooks = {
  eventOf: (name) => events.get(name) ?? null,
  readPayload(event, payload) {
    const [what, where] = [pickObject(payload, 'event'), pickObject(payload, 'ctx')];
    const isOfChild = event === 'subagent-start' || event === 'subagent-stop';
    const common = {
      runtimePath: 'plugin',
      at: timeOf(what.endedAt),
      reason: pick(what, 'outcome', 'reason'),
    };
    return {
      ...common,
      stopHookActive: flag(what, 'stopHookActive'),
      ...(isOfChild ? readChild(what, where) : readSession(what, where)),
    };
  },
  // `agent_end` only says that a turn is over; `before_agent_finalize` asks whether it is, and says why.
  isAnswerRead: (event, payload) =>
    event !== 'stop' || flag(pickObject(payload, 'event'), 'stopHookActive') !== null,
  tellAnswer: tellWhole,
};

function readSession(what: JsonObject, where: JsonObject) {
  return {
    sessionKey: pick(where, 'sessionKey') ?? pick(what, 'sessionKey') ?? pick(where, 'sessionId'),
    project: pick(where, 'workspaceDir') ?? pick(what, 'cwd'),
    // A sub-agent's prompt has OpenClaw's own words around the task.
    userPrompt: pick(what, 'prompt'),
    lastAssistantMessage: pick(what, 'lastAssistantMessage') ?? lastWords(what),
    summary: pick(what, 'summary'),
  };
}

function readChild(what: JsonObject, where: JsonObject) {
  const child = pick(where, 'childSessionKey') ?? pick(what, 'childSessionKey', 'targetSessionKey');
  return {
    sessionKey: pick(where, 'requesterSessionKey'),
    harnessAgentId: child,
    childSessionKey: child,
    title: pick(what, 'label'),
  };
}

/** `messages` is the whole history, written anew by every run: as a transcript it would never match the one before. */
function lastWords({ messages }: JsonObject): string | null {
  const spoken = listOf(messages)
    .map((message) => objectOf(message) ?? {})
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => readContent(content).text);
  return spoken.at(-1) ?? null;
}
