/** Every line that a real program wrote is read, and none is lost. */
import { expect, test } from '@jest/globals';
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { parserFor } from '../../harnesses/index.ts';
import { captureNames, programOf, readCapture } from '../support/captures.ts';

const roles = ['user', 'assistant', 'tool', 'mark'] as const;

/** Entries as [user, assistant, tool, mark]: what a reader of the file would count. */
const transcripts: Record<string, readonly [number, number, number, number]> = {
  'claude-code/transcript-main.jsonl': [1, 2, 4, 27],
  'claude-code/transcript-subagent.jsonl': [1, 2, 2, 16],
  'codex/rollout-main.jsonl': [1, 3, 4, 24],
  'codex/rollout-child.jsonl': [1, 2, 2, 16],
  'gemini-cli/chat-main.jsonl': [2, 2, 1, 11],
  'gemini-cli/chat-subagent.jsonl': [1, 2, 2, 7],
  'copilot-cli/transcript-events.jsonl': [1, 1, 0, 43],
  'openclaw/transcript-main.jsonl': [3, 8, 4, 14],
  'openclaw/transcript-subagent.jsonl': [1, 2, 1, 5],
  'opencode/run-spawn.jsonl': [0, 2, 1, 4],
  'opencode/run-mcp.jsonl': [0, 3, 2, 6],
  'claude-code/stream-spawn-subagent.jsonl': [0, 2, 2, 27],
  'copilot-cli/stream-mcp.jsonl': [1, 3, 2, 51],
};

/** A file that goes would else go unnoticed. */
const files = {
  acp: 6,
  'claude-code': 31,
  codex: 20,
  'copilot-cli': 12,
  'gemini-cli': 14,
  openclaw: 5,
  opencode: 10,
};

test('of each program all that was captured is there', () => {
  const programs = [...new Set(captureNames.map(programOf))];
  const found = programs.map((program) => [
    program,
    captureNames.filter((name) => programOf(name) === program).length,
  ]);
  expect(Object.fromEntries(found)).toEqual(files);
});

test.each(captureNames)('%s comes out as it went in, one entry for each line', (name) => {
  const text = readCapture(name);
  const entries = read(name, text);
  expect(entries.map((entry) => entry.raw).join('')).toBe(text);
  if (!name.endsWith('.jsonl')) return;
  expect(entries).toHaveLength(text.trimEnd().split('\n').length);
});

test.each(Object.entries(transcripts))('%s has %j of each role', (name, counts) => {
  const entries = read(name, readCapture(name));
  expect(roles.map((role) => entries.filter((entry) => entry.role === role).length)).toEqual(
    counts,
  );
});

test('of a transcript that agents share each has its own part, and all parts together are all of it', () => {
  const name = 'copilot-cli/transcript-events.jsonl';
  const text = readCapture(name);
  const [root, child] = [null, 'e94f26e8-30bd-4675-8ee4-6dc894d4f77a'].map((agent) =>
    parserFor('copilot-cli', text)(text, agent).map(({ isOfAnother, ...entry }) => ({
      ...entry,
      isOwn: isOfAnother !== true,
    })),
  );
  expect(root!.map(({ isOwn }) => isOwn)).toEqual(child!.map(({ isOwn }) => !isOwn));
  expect(child!.map(({ raw }) => raw).join('')).toBe(text);
  const own = child!.filter(({ isOwn }) => isOwn);
  expect(roles.map((role) => own.filter((entry) => entry.role === role).length)).toEqual([
    1, 2, 1, 20,
  ]);
  const uses = own.flatMap(({ tools }) => tools.map(({ kind, text: said }) => `${kind} ${said}`));
  expect(uses).toEqual([
    'call {"command":"echo child-tool-ran","description":"probe"}',
    'result child-tool-ran\n<shellId: 0 completed with exit code 0>',
  ]);
});

test.each(Object.keys(transcripts))('all that is said in %s has its time and its id', (name) => {
  const spoken = read(name, readCapture(name)).filter((entry) => entry.role !== 'mark');
  for (const entry of spoken) {
    expect(entry.text).not.toBe('');
    expect(entry.at).toMatch(/^2026-11-1[89]T.*Z$/);
  }
  const named = spoken.filter((entry) => entry.id !== null).length;
  // Items that Codex makes itself have ids; none of these files has one without.
  expect(named).toBe(spoken.length);
});

test.each([
  ['claude-code/transcript-main.jsonl', 2],
  ['claude-code/transcript-subagent.jsonl', 1],
  ['codex/rollout-main.jsonl', 2],
  ['codex/rollout-child.jsonl', 1],
  ['gemini-cli/chat-main.jsonl', 1],
  ['gemini-cli/chat-subagent.jsonl', 2],
  ['openclaw/transcript-main.jsonl', 4],
  ['openclaw/transcript-subagent.jsonl', 1],
  ['opencode/run-spawn.jsonl', 1],
  ['copilot-cli/stream-mcp.jsonl', 2],
])('each of the calls in %s has a name and its result', (name, count) => {
  const uses = read(name, readCapture(name)).flatMap((entry) => entry.tools);
  const calls = uses.filter((use) => use.kind === 'call');
  const answered = new Set(uses.filter((use) => use.kind === 'result').map((use) => use.id));
  expect(calls).toHaveLength(count);
  for (const call of calls) {
    expect(call.name).not.toBeNull();
    expect(answered).toContain(call.id);
  }
});

function read(name: string, text: string): TranscriptEntry[] {
  return parserFor(programOf(name), text)(text);
}
