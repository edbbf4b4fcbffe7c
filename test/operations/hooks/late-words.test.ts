/** Hooks that were kept while the server was away, of a program whose transcript has gone on meanwhile: each word once. */
import { expect, test } from '@jest/globals';
import { callerAs } from '../operations-fixture.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });
const begin = Date.parse('2026-03-01T10:00:00.000Z');
const exchanges = ['one', 'two', 'go on', 'go on', 'five'];
const said = exchanges.flatMap((words, n) => [`user: ask ${words}`, `assistant: did ${n}`]);

/** Twenty minutes each: the prompt, its line, the answer's line and its stop, as `at` says it. */
const moment = (n: number, seconds: number) =>
  new Date(begin + n * 20 * 60_000 + seconds * 1000).toISOString();

function conversation(room: HookRoom): string {
  const lines = exchanges.map(
    (words, n) =>
      line('user', `ask ${words}`, { timestamp: moment(n, 1) }) +
      line('assistant', `did ${n}`, { timestamp: moment(n, 20) }),
  );
  return room.stage('s1.jsonl', lines.join(''));
}

test.each([
  ['all of them name it', true, true],
  ['only stops name it', false, true],
  ['only prompts name it', true, false],
])('what a kept hook says stands in the transcript already: %s', (_, ofPrompts, ofStops) =>
  withHooks(async (room) => {
    const transcriptPath = conversation(room);
    const path = (has: boolean) => (has ? { transcriptPath } : {});
    const hook = { harness: 'claude-code', sessionKey: 's1' };
    for (const [n, words] of exchanges.entries()) {
      const prompt = { userMessage: `ask ${words}`, at: moment(n, 0), ...path(ofPrompts) };
      await room.ask('hookUserPromptSubmit', { ...hook, idempotencyKey: `p${n}`, ...prompt }, late);
      const stop = { lastAssistantMessage: `did ${n}`, at: moment(n, 21), ...path(ofStops) };
      await room.ask('hookStop', { ...hook, idempotencyKey: `s${n}`, ...stop }, late);
    }
    expect(room.said('s1')).toEqual(said);
  }),
);

test('nor is an answer that a kept prompt tells, where the transcript has the prompt', () =>
  withHooks(async (room) => {
    const transcriptPath = conversation(room);
    const hook = { harness: 'claude-code', sessionKey: 's1', transcriptPath };
    for (const [n, words] of exchanges.entries()) {
      const answer = n === 0 ? {} : { lastAssistantMessage: `did ${n - 1}` };
      const prompt = { userMessage: `ask ${words}`, at: moment(n, 0), ...answer };
      await room.ask('hookUserPromptSubmit', { ...hook, idempotencyKey: `p${n}`, ...prompt }, late);
    }
    expect(room.said('s1')).toEqual(said);
  }));

test('what was said long before, in the same words, is another turn', () =>
  withHooks(async (room) => {
    const transcriptPath = conversation(room);
    const hook = { harness: 'claude-code', sessionKey: 's1' };
    await room.ask('hookStop', { ...hook, transcriptPath });
    const prompt = { userMessage: 'ask one', at: moment(60, 0), idempotencyKey: 'kept' };
    await room.ask('hookUserPromptSubmit', { ...hook, ...prompt }, late);
    expect(room.said('s1')).toEqual([...said, 'user: ask one']);
  }));

test('and so is what comes in time', () =>
  withHooks(async (room) => {
    const hook = { harness: 'claude-code', sessionKey: 's1' };
    const transcriptPath = room.stage('s1.jsonl', line('user', 'go on') + line('assistant', 'did'));
    await room.ask('hookStop', { ...hook, transcriptPath });
    await room.prompt('s1', 'go on');
    expect(room.said('s1')).toEqual(['user: go on', 'assistant: did', 'user: go on']);
  }));
