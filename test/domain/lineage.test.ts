import { expect, test } from '@jest/globals';
import { lineageRules } from '../../contract/words.ts';
import {
  givesWay,
  keyAbove,
  parentGuesses,
  subagentKey,
  type LineageHints,
} from '../../domain/lineage.ts';

const claude = { sessionKey: 'child', harness: 'claude-code', project: '/repo' };
const start = { harnessAgentId: 'a1', isStart: true };

test.each<[string, LineageHints, unknown[]]>([
  ['nothing is said', {}, []],
  [
    'a parent is named',
    { parentSessionKey: 'p', ...start },
    [{ rule: 'explicit', sessionKey: 'p' }],
  ],
  [
    'a parent is named in an invocation of ours, which is its parent where that one may not be',
    { parentSessionKey: 'p', spawnedBy: 'ses_1', ...start },
    [
      { rule: 'explicit', sessionKey: 'p' },
      { rule: 'spawned', sessionKey: 'ses_1' },
    ],
  ],
  ['it names itself', { parentSessionKey: 'child' }, []],
  [
    'it runs in an invocation of ours',
    { spawnedBy: 'ses_1', ...start },
    [{ rule: 'spawned', sessionKey: 'ses_1' }],
  ],
  [
    'it names the session of its invocation',
    { spawnedBy: 'ses_1', parentSessionKey: 'ses_1', ...start },
    [{ rule: 'spawned', sessionKey: 'ses_1' }],
  ],
  [
    'it is a sub-agent of a program that runs in an invocation of ours',
    { spawnedBy: 'ses_1', rootSessionKey: 'root', ...start },
    [{ rule: 'subagent_start', sessionKey: 'root' }],
  ],
  [
    'it is reported under its root',
    { rootSessionKey: 'root', ...start },
    [{ rule: 'subagent_start', sessionKey: 'root' }],
  ],
  [
    'a sub-agent asked for it',
    { rootSessionKey: 'root', parentAgentId: 'a0', ...start },
    [
      { rule: 'parent_agent', sessionKey: 'root:a0' },
      { rule: 'subagent_start', sessionKey: 'root' },
    ],
  ],
  [
    'nothing but that it is a sub-agent',
    start,
    [{ rule: 'recency', harness: 'claude-code', project: '/repo' }],
  ],
  ['that is said later than at its start', { harnessAgentId: 'a1' }, []],
])('the parent is looked for by the surest sign: %s', (_, hints, guesses) => {
  expect(parentGuesses(claude, hints)).toEqual(guesses);
});

test('only Claude Code, and only with a project, has its parents guessed by recency', () => {
  expect(parentGuesses({ ...claude, harness: 'codex' }, start)).toEqual([]);
  expect(parentGuesses({ ...claude, project: null }, start)).toEqual([]);
});

test('a Copilot sub-agent has a session of its own, and names who asked for it', () => {
  const child = { sessionKey: 'a1', harness: 'copilot-cli', project: '/repo' };
  expect(subagentKey('copilot-cli', 'root', 'a1')).toBe('a1');
  expect(parentGuesses(child, { harnessAgentId: 'a1', parentAgentId: 'root' })).toEqual([
    { rule: 'parent_agent', sessionKey: 'root' },
  ]);
});

test.each([
  ['agent:a:subagent:u', 'agent:a:main'],
  ['agent:a:subagent:u1:subagent:u2', 'agent:a:subagent:u1'],
  ['agent:a:discord:42:subagent:u', 'agent:a:discord:42'],
  ['agent:a:main', null],
  ['agent:a:subagent', null],
  ['subagent:u', null],
])('the key %s stands below %s [signet 22, 23]', (key, above) => {
  expect(keyAbove(key)).toBe(above);
});

test('two long ids make a key that fits, and it is another one for another sub-agent', () => {
  const key = subagentKey('codex', 'r'.repeat(190), 'a'.repeat(60));
  expect(key.length).toBeLessThanOrEqual(200);
  expect(key).not.toBe(subagentKey('codex', 'r'.repeat(190), 'b'.repeat(60)));
});

test('a guess gives way to what is said, a key to who is named, a place in a session to who asked there, and nothing else to anything', () => {
  const ways = lineageRules.flatMap((known) =>
    lineageRules.filter((said) => givesWay(known, said)).map((said) => `${known} to ${said}`),
  );
  expect(ways.toSorted()).toEqual([
    ...['explicit', 'parent_agent', 'subagent_start'].map((said) => `key_shape to ${said}`),
    ...['explicit', 'key_shape', 'parent_agent', 'spawned', 'subagent_start'].map(
      (said) => `recency to ${said}`,
    ),
    'subagent_start to parent_agent',
  ]);
});
