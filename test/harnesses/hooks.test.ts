/** Every hook that a real program called becomes a request that the server takes, or is one that says nothing to us. */
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { inputSchema } from '../../api/json-schema.ts';
import {
  checkpointExtractSchema,
  compactionCompleteSchema,
  hookAliases,
  preCompactionSchema,
  sessionEndSchema,
  sessionStartSchema,
  stopSchema,
  subagentStartSchema,
  subagentStopSchema,
  userPromptSubmitSchema,
} from '../../contract/hooks.ts';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { ourFields, readHook, type HookEvent } from '../../harnesses/hooks.ts';
import type { JsonObject } from '../../harnesses/json.ts';
import { callsIn, firstCall, hookCaptures, hooksIn, programOf } from '../support/captures.ts';

const schemas: Record<HookEvent, z.ZodType> = {
  'session-start': sessionStartSchema,
  'user-prompt-submit': userPromptSubmitSchema,
  'session-end': sessionEndSchema,
  'pre-compaction': preCompactionSchema,
  'compaction-complete': compactionCompleteSchema,
  'session-checkpoint-extract': checkpointExtractSchema,
  'subagent-start': subagentStartSchema,
  'subagent-stop': subagentStopSchema,
  stop: stopSchema,
};

/** Of each program, what becomes of the hooks in its captures: ours by the program's name of it, and how many. */
const expected: Record<string, Record<string, readonly [HookEvent | null, number]>> = {
  'claude-code': {
    SessionStart: ['session-start', 10],
    UserPromptSubmit: ['user-prompt-submit', 10],
    SubagentStart: ['subagent-start', 8],
    SubagentStop: ['subagent-stop', 9],
    StopFailure: ['subagent-stop', 1],
    Stop: ['stop', 10],
    PreCompact: ['pre-compaction', 1],
    PostCompact: ['compaction-complete', 1],
    SessionEnd: ['session-end', 10],
    // A tool's calls and results are in the transcript.
    PreToolUse: [null, 17],
    PostToolUse: [null, 16],
    PostToolUseFailure: [null, 1],
  },
  codex: {
    SessionStart: ['session-start', 11],
    UserPromptSubmit: ['user-prompt-submit', 10],
    SubagentStart: ['subagent-start', 4],
    SubagentStop: ['subagent-stop', 4],
    Stop: ['stop', 7],
    PreCompact: ['pre-compaction', 1],
    SessionEnd: ['session-end', 7],
    // It comes without the summary. What follows it is a SessionStart with the source `compact`.
    PostCompact: [null, 1],
    PreToolUse: [null, 13],
    PostToolUse: [null, 13],
  },
  'gemini-cli': {
    SessionStart: ['session-start', 4],
    BeforeAgent: ['user-prompt-submit', 4],
    AfterAgent: ['stop', 4],
    SessionEnd: ['session-end', 4],
    // By itself it comes before every turn.
    PreCompress: [null, 9],
    BeforeTool: [null, 6],
    AfterTool: [null, 6],
    BeforeModel: [null, 1],
    AfterModel: [null, 3],
    BeforeToolSelection: [null, 1],
  },
  'copilot-cli': {
    sessionStart: ['session-start', 5],
    userPromptSubmitted: ['user-prompt-submit', 8],
    subagentStart: ['subagent-start', 3],
    subagentStop: ['subagent-stop', 2],
    agentStop: ['stop', 7],
    sessionEnd: ['session-end', 5],
    SessionStart: ['session-start', 1],
    UserPromptSubmit: ['user-prompt-submit', 2],
    SubagentStart: ['subagent-start', 1],
    SubagentStop: ['subagent-stop', 1],
    Stop: ['stop', 2],
    SessionEnd: ['session-end', 1],
    preToolUse: [null, 8],
    postToolUse: [null, 7],
    PreToolUse: [null, 2],
    PostToolUse: [null, 2],
    // Copilot tries again after most errors; a sub-agent that gave up is closed with its session.
    errorOccurred: [null, 1],
    postToolUseFailure: [null, 1],
    permissionRequest: [null, 5],
  },
  opencode: {
    'session.created': ['session-start', 2],
    'chat.message': ['user-prompt-submit', 2],
    'session.idle': ['stop', 1],
    'session.updated': [null, 8],
    'session.status': [null, 8],
    'session.diff': [null, 3],
    'message.updated': [null, 12],
    'message.part.updated': [null, 21],
    'plugin.init': [null, 1],
    'system.transform': [null, 4],
    'chat.params': [null, 4],
    'chat.headers': [null, 4],
    'tool.execute.before': [null, 2],
    'tool.execute.after': [null, 2],
    'shell.env': [null, 1],
  },
  openclaw: {
    before_prompt_build: ['user-prompt-submit', 8],
    before_agent_finalize: ['stop', 3],
    agent_end: ['stop', 7],
    subagent_spawned: ['subagent-start', 1],
    subagent_ended: ['subagent-stop', 1],
    // The prompt as before_prompt_build left it.
    before_agent_run: [null, 5],
    subagent_progress: [null, 1],
    before_tool_call: [null, 5],
    after_tool_call: [null, 5],
    gateway_start: [null, 1],
    gateway_stop: [null, 1],
  },
};

test.each(Object.keys(expected))(
  'every hook of %s is taken, or listed as nothing',
  async (program) => {
    const hooks = await hooksOf(program);
    const seen: Record<string, [HookEvent | null, number]> = {};
    const captures = hookCaptures.filter((capture) => programOf(capture) === program);
    for (const { name, payload } of captures.flatMap(hooksIn)) {
      const call = readHook(hooks, { harness: program, name, payload });
      if (call !== null) {
        expect(schemas[call.event].safeParse(call.request).error).toBeUndefined();
        expect(call.request.sessionKey).toEqual(expect.any(String));
      }
      seen[name] = [call?.event ?? null, (seen[name]?.[1] ?? 0) + 1];
    }
    expect(seen).toEqual(expected[program]);
  },
);

test('a sub-agent of Claude Code and Codex is named by the id that the program gave it', async () => {
  const claude = await callsIn('claude-code/hooks.jsonl');
  const [start, stop] = ['subagent-start', 'subagent-stop'].map((event) =>
    firstCall(claude, event),
  );
  const agent = {
    sessionKey: 'ba641fee-edf7-4319-a151-1ffa71783ee0',
    harnessAgentId: 'a5554576f7df65818',
  };
  expect(start).toMatchObject({ ...agent, project: '/workspace', runtimePath: 'legacy' });
  // Claude names the session's transcript here; it must not become the sub-agent's.
  expect(start).not.toHaveProperty('transcriptPath');
  expect(start).not.toHaveProperty('agentId');
  expect(stop).toMatchObject(agent);
  expect(stop?.transcriptPath).toMatch(/subagents\/agent-a5554576f7df65818\.jsonl$/);

  const codex = await callsIn('codex/hooks.jsonl');
  const child = '01a1ee01-7bde-7c30-a60f-09141f2b7252';
  expect(firstCall(codex, 'subagent-start')).toMatchObject({ harnessAgentId: child });
  expect(firstCall(codex, 'subagent-stop')?.transcriptPath).toContain(child);
  const prompts = codex.filter(({ event }) => event === 'user-prompt-submit');
  expect(prompts.map(({ request }) => request.harnessAgentId)).toContain(child);
});

test('a child of OpenCode names its parent', async () => {
  const calls = await callsIn('opencode/plugin-hooks-and-events.jsonl');
  const starts = calls.filter(({ event }) => event === 'session-start');
  expect(starts.map(({ request }) => [request.sessionKey, request.parentSessionKey])).toEqual([
    ['ses_e121a3270ffe4oT63BGYD0owo2', undefined],
    ['ses_e121a29bfffeMmzn3lW81BAVqu', 'ses_e121a3270ffe4oT63BGYD0owo2'],
  ]);
  expect(firstCall(calls, 'user-prompt-submit')).toMatchObject({
    userMessage: '"%%spawn%% go"',
    at: '2026-11-18T09:03:43.108Z',
  });
});

test('OpenCode has a title where somebody gave one, and ends when it is deleted', async () => {
  const hooks = await hooksOf('opencode');
  const read = (type: string, title: string) => {
    const info = { id: 's', title, time: { updated: Date.parse('2026-11-20T16:07:03.950Z') } };
    const payload = { type, properties: { info } };
    return readHook(hooks, { harness: 'opencode', name: type, payload })?.request;
  };
  const started = read('session.created', 'child probe (@general subagent)');
  expect(started).toMatchObject({
    title: 'child probe (@general subagent)',
    at: '2026-11-20T16:07:03.950Z',
  });
  for (const kind of ['New', 'Child']) {
    const made = read('session.created', `${kind} session - 2026-11-20T16:07:03.950Z`);
    expect(made).toHaveProperty('sessionKey');
    expect(made).not.toHaveProperty('title');
  }
  // Its last turn was an update, and may have been told later.
  expect(read('session.deleted', 'x')).not.toHaveProperty('at');
});

test('a sub-agent of Copilot has a session of its own, and names the transcript that all share', async () => {
  const calls = await callsIn('copilot-cli/hooks.jsonl');
  const [root, child] = [
    '8b1a8e64-def4-4acb-9b9b-af5481b2c038',
    'e94f26e8-30bd-4675-8ee4-6dc894d4f77a',
  ];
  expect(firstCall(calls, 'subagent-start')).toMatchObject({
    sessionKey: root,
    harnessAgentId: child,
    childSessionKey: child,
  });
  expect(firstCall(calls, 'subagent-stop')).toMatchObject({
    lastAssistantMessage: 'CHILD-RESULT-42',
  });
  const own = calls.filter(({ request }) => request.sessionKey === child);
  expect(own.map(({ event }) => event)).toEqual(['user-prompt-submit', 'stop']);
  for (const { request } of own) {
    expect(request).toMatchObject({ parentSessionKey: root, harnessAgentId: child });
  }
  for (const event of ['stop', 'subagent-stop']) {
    const path = calls.find((call) => call.event === event)?.request.transcriptPath;
    expect(path).toMatch(new RegExp(`/session-state/${root}/events\\.jsonl$`));
  }
});

test('a sub-agent of OpenClaw is known by its session key', async () => {
  const calls = await callsIn('openclaw/plugin-hooks.jsonl');
  const child = 'agent:main:subagent:074a66ec-90c0-4a48-be64-b94311ce0b87';
  const agent = { sessionKey: 'agent:main:main', harnessAgentId: child, childSessionKey: child };
  expect(firstCall(calls, 'subagent-start')).toMatchObject({ ...agent, title: 'probe' });
  expect(firstCall(calls, 'subagent-stop')).toMatchObject({ ...agent, reason: 'ok' });
  expect(firstCall(calls, 'stop')).toMatchObject({
    lastAssistantMessage: 'Hello from the scripted model.',
  });
});

test('OpenClaw is offered what waits where it asks whether the turn is over, and not where it only says so', async () => {
  const calls = await callsIn('openclaw/plugin-hooks-finalize.jsonl');
  const stops = calls.filter(({ event }) => event === 'stop');
  expect(stops).toHaveLength(5);
  for (const { request } of stops) {
    expect(request).toMatchObject({ sessionKey: 'agent:main:main', project: '/workspace' });
  }
  expect(stops.map(({ isUnread, request }) => [isUnread, request.stopHookActive])).toEqual([
    [false, false],
    [true, undefined],
    [false, false],
    [false, false],
    [true, undefined],
  ]);
  expect(stops[2]?.request).toMatchObject({ lastAssistantMessage: 'First answer.' });
});

test('a program that we do not know may use our names or the usual ones', async () => {
  const hooks = await hooksOf('cursor');
  const read = (payload: JsonObject) =>
    readHook(hooks, { harness: 'cursor', name: 'user-prompt-submit', payload })?.request;
  const ours = { sessionKey: 's', userMessage: 'hi', at: '2026-01-01T00:00:00.000Z' };
  expect(read(ours)).toEqual({ harness: 'cursor', runtimePath: 'legacy', ...ours });
  expect(read({ session_id: 's', prompt: 'hi' })).toEqual({
    harness: 'cursor',
    runtimePath: 'legacy',
    sessionKey: 's',
    userPrompt: 'hi',
  });
  const child = { agentType: 'worker', parentHarnessAgentId: 'a1', stopHookActive: true };
  expect(read({ sessionKey: 's', ...child })).toMatchObject(child);
  expect(readHook(hooks, { harness: 'cursor', name: 'Stop', payload: {} })).toBeNull();
});

test('an event without what it must have is not sent', async () => {
  const hooks = await hooksOf('claude-code');
  const read = (name: string, payload: JsonObject) =>
    readHook(hooks, { harness: 'claude-code', name, payload });
  expect(read('SubagentStop', { session_id: 's' })).toBeNull();
  expect(read('StopFailure', { session_id: 's' })).toBeNull();
  expect(read('PostCompact', { session_id: 's' })).toBeNull();
  expect(read('session-checkpoint-extract', {})).toBeNull();
});

test('ours are the names that the hooks of the API have, and the other names that it takes for them', () => {
  const names = Object.values(schemas).flatMap((schema) =>
    Object.keys(inputSchema(schema).properties),
  );
  const others = Object.values(hookAliases).flat();
  expect([...ourFields].toSorted()).toEqual([...new Set([...names, ...others])].toSorted());
});
