import { expect, test } from '@jest/globals';
import { limits } from '../../contract/limits.ts';
import { searchAttributes } from '../../contract/names.ts';
import { childStart, sessionStart, titleOf, type Told } from '../../domain/story.ts';

const told: Told = {
  id: 'sub_1',
  workflowId: 'subagent/sub_1',
  spawnNo: 0,
  acceptedAt: '2026-03-01T12:00:00.000Z',
  title: null,
  prompt: 'Read the file\nand say what is in it',
  runnerId: 'talk',
  executionMode: 'SYNC',
  status: 'pending',
  sessionKey: 'ses_1',
  parentSessionId: null,
  rootSessionId: 'ses_1',
  depth: 0,
  workspacePath: '/work',
  specId: null,
  askedBy: null,
};

test('a title is the one given, else the first line of the prompt', () => {
  expect(titleOf({ title: 'Mine', prompt: 'x' })).toBe('Mine');
  expect(titleOf(told)).toBe('Read the file');
});

test('a title is one line, whoever gave it', () => {
  expect(titleOf({ title: 'Two\nlines\u0007', prompt: 'x' })).not.toMatch(/\p{Cc}/u);
});

test('a title that was given goes to the engine without secrets, an invocation’s and a session’s', () => {
  const title = 'rotate ghp_abcdefghijklmnopqrstuvwxyz0123456789 now';
  const attributes = Object.values(searchAttributes);
  const session = { agentId: 'a', sessionKey: 's', harness: null, project: null, title };
  const lineage = { parentSessionId: null, rootSessionId: 's' };
  const shown = [
    childStart({ ...told, title }, attributes),
    sessionStart({ ...session, ...lineage }, attributes),
  ];
  for (const one of shown) {
    expect(JSON.stringify(one)).not.toContain('ghp_');
    expect(one.summary).toContain('[redacted GitHub token] now');
  }
});

test('a summary fits what the engine takes, in any script', () => {
  for (const title of ['"\\'.repeat(100), '日'.repeat(200), '😀'.repeat(100), 'word '.repeat(40)]) {
    const { summary } = childStart({ ...told, title }, []);
    expect(summary.length).toBeLessThanOrEqual(limits.summaryCharsMax);
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(400);
  }
});

test('only attributes that the namespace knows, and that have a value, are set', () => {
  const { attributes } = childStart(told, ['OffshootMode', 'OffshootParentSession']);
  expect(attributes).toEqual({ OffshootMode: 'SYNC' });
});

test('a bar in a name does not break the table of details', () => {
  const { details } = childStart({ ...told, title: 'a | b' }, []);
  expect(details).toContain('| Task | a \\| b |');
});

test('no body enters the history: a long prompt is not in what the engine is given', () => {
  const prompt = `First line\n${'secret '.repeat(1000)}`;
  expect(JSON.stringify(childStart({ ...told, prompt }, []))).not.toContain('secret');
});
