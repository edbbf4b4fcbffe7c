/** A hook that comes again: its words are not said twice, and what it brings that is new is not lost. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { refusal } from '../operations-fixture.ts';
import { withHooks } from './hooks-fixture.ts';

const stop = { harness: 'claude-code', sessionKey: 's1' };
const [one, two] = ['User: one\nAssistant: two\n', 'User: three\nAssistant: four\n'];
const [saidOne, saidTwo] = [
  ['user: one', 'assistant: two'],
  ['user: three', 'assistant: four'],
];

test('one that was refused for its file reads it when it is there, and says nothing twice', () =>
  withHooks(async (room) => {
    const transcriptPath = join(room.home, 'staging', 'later.txt');
    const hook = { ...stop, transcriptPath, lastAssistantMessage: 'two', idempotencyKey: 'K1' };
    for (const _ of ['at first', 'and again']) {
      expect(await refusal(room.ask('hookStop', hook))).toBe('not_found');
    }
    expect(room.said('s1')).toEqual(['assistant: two']);
    room.stage('later.txt', one);
    for (const _ of ['it is there', 'and again']) {
      expect(await room.ask('hookStop', hook)).toEqual({ inject: '', reason: 'no_memory' });
      expect(room.said('s1')).toEqual(saidOne);
    }
    // What was said since is read, too, and a file that has gone is missed again.
    room.stage('later.txt', one + two);
    await room.ask('hookStop', hook);
    expect(room.all('s1')).toEqual([...['assistant: two', 'user: one'], ...saidTwo]);
    rmSync(transcriptPath);
    expect(await refusal(room.ask('hookStop', hook))).toBe('not_found');
  }));

test.each([
  ['time', { at: '2026-03-08T10:00:00Z' }],
  ['key', { idempotencyKey: 'K1' }],
])('under the same %s a longer transcript is taken, and an older one changes nothing', (_, name) =>
  withHooks(async (room) => {
    await room.report('s1', one, name);
    await room.report('s1', one + two, name);
    expect(room.said('s1')).toEqual([...saidOne, ...saidTwo]);
    const all = room.all('s1');
    await room.report('s1', one + two, name);
    expect(room.all('s1')).toEqual(all);
  }),
);

test('one that comes again behind others with what it brought at first leaves what they brought', () =>
  withHooks(async (room) => {
    await room.report('s1', one, { idempotencyKey: 'K1' });
    await room.report('s1', one + two, { idempotencyKey: 'K2' });
    const all = room.all('s1');
    await room.report('s1', one, { idempotencyKey: 'K1' });
    expect(room.all('s1')).toEqual(all);
  }));

test('a new transcript is not taken of a path that does not have the session any more', () =>
  withHooks(async (room) => {
    const name = { idempotencyKey: 'K1', runtimePath: 'legacy' };
    await room.report('s1', one, name);
    await room.ask('hookSessionEnd', stop, room.over('legacy'));
    await room.ask('hookSessionStart', stop, room.over('plugin'));
    expect(await refusal(room.report('s1', one, name))).toBe('not refused');
    expect(await refusal(room.report('s1', one + two, name))).toBe('session_claimed');
  }));

test.each(['userMessage', 'userPrompt', 'lastAssistantMessage'])(
  'other words in %s under a known key are refused, and not lost without a word',
  (field) =>
    withHooks(async (room) => {
      const prompt = (words: string, more = {}) =>
        room.ask('hookUserPromptSubmit', {
          ...{ harness: 'x', sessionKey: 's1', idempotencyKey: 'K1', [field]: words },
          ...more,
        });
      const long = 'x'.repeat(20_000);
      const answer = await prompt(`${long}first${long}`);
      const all = room.all('s1');
      await expect(prompt(`${long}other${long}`)).rejects.toMatchObject({
        code: 'idempotency_mismatch',
        hint: 'Use a new key for a new request.',
      });
      // When and how it is sent again may differ.
      const more = { at: '2026-03-08T10:00:00Z', cwd: '/w', attempt: 2, runtimePath: 'legacy' };
      expect(await prompt(`${long}first${long}`, more)).toEqual(answer);
      expect(room.all('s1')).toEqual(all);
    }),
);

test('what was kept by an earlier version is answered as it was', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'hello', { idempotencyKey: 'K1' });
    const answer = { inject: 'as it was', reason: 'no_memory' };
    room.store.db.run('UPDATE hook_answers SET answer = :answer', {
      answer: JSON.stringify(answer),
    });
    expect(await room.prompt('s1', 'hello', { idempotencyKey: 'K1' })).toEqual(answer);
    expect(room.said('s1')).toEqual(['user: hello']);
  }));
