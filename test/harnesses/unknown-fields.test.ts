/** Of what a program hands over, what we know nothing of goes along, to be kept with the turn. */
import { expect, test } from '@jest/globals';
import { isShallow } from '../../contract/depth.ts';
import { limits } from '../../contract/limits.ts';
import { hooksOf } from '../../harnesses/hooks-of.ts';
import { ourFields, readHook } from '../../harnesses/hooks.ts';
import type { JsonObject } from '../../harnesses/json.ts';
import { callsIn, firstCall } from '../support/captures.ts';

/** Of the first hook of each kind, what we know nothing of. */
const unknown: Record<string, Record<string, JsonObject>> = {
  'claude-code/hooks.jsonl': {
    'user-prompt-submit': {
      prompt_id: 'a91f4983-785f-4fe3-bf3a-e20dcd4e54b3',
      permission_mode: 'bypassPermissions',
    },
    'subagent-stop': {
      prompt_id: 'a91f4983-785f-4fe3-bf3a-e20dcd4e54b3',
      permission_mode: 'bypassPermissions',
      effort: { level: 'medium' },
      background_tasks: [],
      session_crons: [],
      transcript_path: expect.stringMatching(/ba641fee-edf7-4319-a151-1ffa71783ee0\.jsonl$/),
    },
  },
  'codex/hooks.jsonl': {
    'user-prompt-submit': {
      turn_id: '01a1ee01-7a81-75e2-a06b-a96f207aa089',
      model: 'stub-model',
      permission_mode: 'bypassPermissions',
    },
  },
  'gemini-cli/hooks.jsonl': { stop: {} },
  'copilot-cli/hooks.jsonl': {
    'session-start': { initialPrompt: '%%spawn%% go' },
    'subagent-stop': { agentName: 'general-purpose' },
  },
  'opencode/plugin-hooks-and-events.jsonl': {
    'user-prompt-submit': {
      output: {
        message: {
          id: 'msg_1ede5ce0400171BW8YTCd48fVD',
          role: 'user',
          sessionID: 'ses_e121a3270ffe4oT63BGYD0owo2',
          agent: 'build',
          model: { providerID: 'stub', modelID: 'stub-model' },
        },
      },
    },
  },
  'openclaw/plugin-hooks.jsonl': {
    stop: {
      event: { success: true, durationMs: 569, runId: '72d6f50c-d3ef-43d6-9e46-34561b754395' },
      ctx: {
        runId: '72d6f50c-d3ef-43d6-9e46-34561b754395',
        trace: {
          traceId: '62a5e33a4ac6846a8658d9000cefc595',
          spanId: '81ff80f076f4052f',
          traceFlags: '01',
        },
        agentId: 'main',
        sessionId: '821b6e17-9bb7-477c-9a5d-3c44edd40be8',
        modelProviderId: 'stub',
        modelId: 'stub-model',
        trigger: 'user',
      },
    },
  },
};

test.each(Object.entries(unknown))(
  'of %s what no mapping uses goes along under its own name, and nothing else',
  async (capture, events) => {
    const calls = await callsIn(capture);
    for (const [event, fields] of Object.entries(events)) {
      const sent = Object.entries(firstCall(calls, event) ?? {});
      const rest = sent.filter(([name]) => !ourFields.has(name));
      expect([event, Object.fromEntries(rest)]).toEqual([event, fields]);
    }
  },
);

test('what goes along says nothing in our names, and is never much', async () => {
  const hooks = await hooksOf('claude-code');
  const read = (payload: JsonObject) =>
    readHook(hooks, { harness: 'claude-code', name: 'Stop', payload })?.request;
  const plain = { harness: 'claude-code', runtimePath: 'legacy' };
  const ours = Object.fromEntries([...ourFields].map((name) => [name, { theirs: true }]));
  expect(read({ ...ours, hook_event_name: 'Stop', nothing: null, none: '' })).toEqual(plain);
  const some = 'x'.repeat(limits.hookUnknownBytesMax / 2);
  expect(read({ one: some, two: some, three: 3 })).toEqual({
    ...{ ...plain, one: some, three: 3 },
    offshootLeftOut: { count: 1, fields: [{ name: 'two', bytes: some.length + 10 }] },
  });
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let at = 0; at < levels; at += 1) value = [value];
    return value;
  };
  // What the server takes, and what would have it refuse all of it.
  const taken = { levels: nested(limits.jsonLevelsMax - 1) };
  const kept = read({ ...taken, deep: nested(limits.jsonLevelsMax), deepest: nested(100_000) });
  const left = [
    { name: 'deep', bytes: null },
    { name: 'deepest', bytes: null },
  ];
  expect(kept).toEqual({ ...plain, ...taken, offshootLeftOut: { count: 2, fields: left } });
  expect(isShallow(kept)).toBe(true);
});
