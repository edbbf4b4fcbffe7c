/** What real programs have told of themselves, told in its order to a real store. */
import { expect, test } from '@jest/globals';
import { basename } from 'node:path';
import type { OperationName } from '../../../contract/operations.ts';
import { operations } from '../../../contract/operations.ts';
import { hooksOf } from '../../../harnesses/hooks-of.ts';
import { readHook } from '../../../harnesses/hooks.ts';
import { hookCaptures, hooksIn, programOf, readCapture } from '../../support/captures.ts';
import { hookNames, withHooks, type HookRoom } from './hooks-fixture.ts';

/** The operation of `POST /api/hooks/<event>`. */
const operationOf = (event: string): OperationName =>
  hookNames.find((name) => operations[name].path === `/api/hooks/${event}`)!;

const agentOf = (key: string) => /^agent:([^:]+):/.exec(key)?.[1] ?? 'default';

/** Transcripts of which we have the file, by what the names of their own files have in them. */
const transcripts = {
  '36630b1c-a452-4447-9bf4-be4f6438f3c3.jsonl': 'claude-code/transcript-main.jsonl',
  'agent-a1221b6a410bf791b.jsonl': 'claude-code/transcript-subagent.jsonl',
  '01a1ee01-7a59-7b32-9493-6ce171d70674.jsonl': 'codex/rollout-main.jsonl',
  '01a1ee01-7bde-7c30-a60f-09141f2b7252.jsonl': 'codex/rollout-child.jsonl',
  'session-2026-11-18T09-35-1daafdb4.jsonl': 'gemini-cli/chat-main.jsonl',
  '8b1a8e64-def4-4acb-9b9b-af5481b2c038/events.jsonl': 'copilot-cli/transcript-events.jsonl',
};

function transcriptFor(room: HookRoom, path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined;
  const [, name] = Object.entries(transcripts).find(([end]) => path.endsWith(end)) ?? [];
  return name && room.stage(basename(path), readCapture(name));
}

/** Answers each prompt that a hook has told. */
async function tell(room: HookRoom, capture: string): Promise<string[]> {
  const said: string[] = [];
  const harness = programOf(capture);
  const hooks = await hooksOf(harness);
  for (const [n, captured] of hooksIn(capture).entries()) {
    const call = readHook(hooks, { harness, ...captured });
    if (call === null) continue;
    const { transcriptPath, ...request } = call.request;
    // What we have is how the file was in the end.
    const isOver = ['stop', 'subagent-stop', 'session-end'].includes(call.event);
    const found = isOver ? transcriptFor(room, transcriptPath) : undefined;
    const hook = { ...request, ...(found && { transcriptPath: found }), idempotencyKey: `${n}` };
    // Each is told twice: the answer of the first may have been lost.
    const [first, again] = [1, 2].map(() => room.ask(operationOf(call.event), hook as never));
    expect(await again).toEqual(await first);
    const prompt = call.request.userMessage ?? call.request.userPrompt;
    if (call.event === 'user-prompt-submit' && typeof prompt === 'string') {
      said.push(`user: ${prompt}`);
    }
  }
  return said;
}

/** How many sessions, how many of them are children, and how deep the deepest stands. */
const expected: Record<string, readonly [sessions: number, children: number, depth: number]> = {
  'claude-code/hooks-failing-child.jsonl': [2, 1, 1],
  'claude-code/hooks-http.jsonl': [2, 1, 1],
  // Nobody says that one of them asked for another: both stand below the session.
  'claude-code/hooks-nested.jsonl': [8, 5, 1],
  // Two were stopped that had never started, as `/compact` does.
  'claude-code/hooks.jsonl': [5, 3, 1],
  'codex/hooks-compaction.jsonl': [1, 0, 0],
  'codex/hooks-multi-agent-v2.jsonl': [3, 1, 1],
  // Its stop tells whose transcript it was asked from.
  'codex/hooks-nested.jsonl': [3, 2, 2],
  'codex/hooks.jsonl': [3, 1, 1],
  'copilot-cli/hooks-failing-child.jsonl': [2, 1, 1],
  'copilot-cli/hooks-http.jsonl': [2, 1, 1],
  'copilot-cli/hooks-pascal-case.jsonl': [2, 1, 1],
  'copilot-cli/hooks.jsonl': [2, 1, 1],
  'gemini-cli/hooks-all-events.jsonl': [1, 0, 0],
  'gemini-cli/hooks.jsonl': [1, 0, 0],
  'openclaw/plugin-hooks-finalize.jsonl': [1, 0, 0],
  'openclaw/plugin-hooks.jsonl': [2, 1, 1],
  'opencode/plugin-hooks-and-events.jsonl': [2, 1, 1],
};

test.each(hookCaptures)('%s gives its turns and its tree, each hook told twice', (capture) =>
  withHooks(async (room) => {
    const told = await tell(room, capture);
    const keys = room.store.db.all<{ key: string }>('SELECT session_key AS key FROM sessions');
    const said = keys.flatMap(({ key }) => room.said(key, agentOf(key)));
    // A sub-agent's task may stand in its transcript alone.
    const prompts = said.filter((turn) => turn.startsWith('user: ') && told.includes(turn));
    expect(prompts.toSorted()).toEqual(told.toSorted());
    const edges = room.store.db.all<{ depth: number; rule: string }>(
      'SELECT depth, rule FROM lineage',
    );
    const found = [
      room.count('sessions'),
      edges.length,
      Math.max(0, ...edges.map(({ depth }) => depth)),
    ];
    expect([capture, ...found]).toEqual([capture, ...(expected[capture] ?? [])]);
    expect(edges.filter(({ rule }) => rule === 'recency')).toEqual([]);
  }),
);

test('what a transcript tells when the program stops stands once, in its order, with what its hooks told', () =>
  withHooks(async (room) => {
    await tell(room, 'claude-code/hooks-nested.jsonl');
    const said = room.said('36630b1c-a452-4447-9bf4-be4f6438f3c3');
    expect(said.map((turn) => turn.slice(0, 30))).toEqual([
      'user: %%parallel%% go',
      'assistant: Delegating twice at',
      'tool: Agent {"description":"ch',
      'tool: Agent {"description":"ch',
      'tool:   <tools-used-before-sum',
      'tool:   <tools-used-before-sum',
      'assistant: Both finished.',
    ]);
  }));

test('what a program tells beyond what we know stands with the turn of its hook', () =>
  withHooks(async (room) => {
    await tell(room, 'claude-code/hooks-nested.jsonl');
    const found = room.store.db.all<{ turn: string; extra: string }>(
      `SELECT role || ': ' || text AS turn, extra FROM turns WHERE extra IS NOT NULL`,
    );
    const prompt = found.find(({ turn }) => turn === 'user: %%parallel%% go');
    expect(JSON.parse(prompt!.extra)).toMatchObject({ permission_mode: 'bypassPermissions' });
  }));

test('a sub-agent of Copilot has its part of the transcript that all agents of a session share, and is found by it', () =>
  withHooks(async (room) => {
    await tell(room, 'copilot-cli/hooks.jsonl');
    const [root, child] = [
      '8b1a8e64-def4-4acb-9b9b-af5481b2c038',
      'e94f26e8-30bd-4675-8ee4-6dc894d4f77a',
    ];
    const result = 'child-tool-ran\n<shellId: 0 completed with exit code 0>';
    expect(room.said(child)).toEqual([
      'user: %%child%% Run the probe and report.',
      'assistant: Child working.',
      `tool: ${result}`,
      'assistant: CHILD-RESULT-42',
    ]);
    const { hits } = await room.ask('searchSessions', { query: 'child-tool-ran' });
    // The call and its result.
    expect(hits.map(({ sessionKey, role }) => [sessionKey, role])).toEqual([
      [child, 'assistant'],
      [child, 'tool'],
    ]);
    const linesOf = (key: string) =>
      room.store.db
        .all<{ raw: string }>('SELECT raw FROM turns WHERE session_id = :id AND raw IS NOT NULL', {
          id: room.session(key)!.id,
        })
        .map(({ raw }) => raw);
    const whole = readCapture('copilot-cli/transcript-events.jsonl');
    expect(linesOf(root).toSorted()).toEqual(whole.match(/.+\n/g)!.toSorted());
    const own = linesOf(child).map((line) => (JSON.parse(line) as { agentId: string }).agentId);
    expect([...new Set(own)]).toEqual([child]);
    expect(whole.split(`"agentId":"${child}"`).length).toBeGreaterThan(own.length);
  }));

test('a sub-agent of Copilot whose start was not heard has no words of others either', () =>
  withHooks(async (room) => {
    const capture = 'copilot-cli/transcript-events.jsonl';
    const [root, child] = ['root', 'e94f26e8-30bd-4675-8ee4-6dc894d4f77a'];
    const transcriptPath = room.stage('events.jsonl', readCapture(capture));
    const payload = { sessionId: child, agentId: child, parentAgentId: root, transcriptPath };
    const hooks = await hooksOf('copilot-cli');
    const call = readHook(hooks, { harness: 'copilot-cli', name: 'agentStop', payload });
    await room.ask('hookStop', call!.request as never);
    expect(room.said(child)).toHaveLength(4);
    expect(room.said(child).join()).not.toContain('Delegating.');
  }));

test('what Gemini tells of its answers at the end of a turn stands once, as its transcript has it', () =>
  withHooks(async (room) => {
    await tell(room, 'gemini-cli/hooks.jsonl');
    const said = room.said('1daafdb4-4d0a-4a97-a401-e17f37a6317d');
    const answers = said.filter((turn) => turn.startsWith('assistant: '));
    expect(answers.map((turn) => turn.slice(0, 40))).toEqual([
      'assistant: Delegating.',
      'assistant: Parent finished. Child said: ',
    ]);
  }));
