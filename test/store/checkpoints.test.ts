import { expect, test } from '@jest/globals';
import { countPrompt, lastCheckpoint } from '../../store/checkpoints.ts';
import { withScene } from './context-scene.ts';

test('after a compaction the summary and what came then are still there [signet 35]', () =>
  withScene(async ({ say, checkpoint, block }) => {
    await say('user', 'a long story');
    await checkpoint('pre_compaction');
    await checkpoint('compaction', 'The long story, short.');
    expect(block()).toContain('Checkpoint:\n  The long story, short.');
    await say('user', 'next');
    await checkpoint('session_end');
    const after = block();
    expect(after).toContain('The long story, short.');
    expect(after).toContain('- next');
  }));

test('every tenth prompt makes a checkpoint, with the same words each time', () =>
  withScene(async ({ store, parent, say }) => {
    for (let n = 1; n <= 21; n += 1) {
      await say('user', `prompt ${n}\nwith more`);
      await say('assistant', `answer ${n}`);
      await store.write((tx) => countPrompt(tx, parent));
    }
    const last = lastCheckpoint(store.db, parent.id)!;
    expect([last.trigger, last.seq]).toEqual(['prompts', 40]);
    expect(last.digest.split('\n')).toEqual([
      '20 prompts so far, the last ones:',
      ...Array.from({ length: 10 }, (_, at) => `- prompt ${at + 11}`),
      'Last answer: answer 20',
    ]);
    expect(
      store.db.get('SELECT count(*) AS n FROM session_checkpoints WHERE session_id = :id', {
        id: parent.id,
      }),
    ).toEqual({ n: 2 });
  }));

test('a checkpoint of nothing new is not taken, and of nothing at all neither', () =>
  withScene(async ({ store, parent, say, checkpoint }) => {
    expect(await checkpoint()).toBe(undefined);
    await say('user', 'hello');
    await checkpoint('pre_compaction');
    await say('mark', 'compacted');
    await checkpoint('session_end');
    expect(lastCheckpoint(store.db, parent.id)?.trigger).toBe('pre_compaction');
  }));

test('a digest shows no half of a secret, wherever in a prompt it begins', () =>
  withScene(async ({ store, parent, say, checkpoint }) => {
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
    for (const blanks of [3985, 3990, 3999]) {
      await say('user', `${'\n'.repeat(blanks)}${secret}`);
      await checkpoint();
      expect(lastCheckpoint(store.db, parent.id)!.digest).not.toContain('ghp_');
    }
  }));

test('a digest has the last answer, also where a callback is told behind it, and none where a prompt came last', () =>
  withScene(async ({ store, parent, say, checkpoint }) => {
    const digest = () => lastCheckpoint(store.db, parent.id)!.digest;
    await say('user', 'go on');
    await say('assistant', 'It is blue.');
    await say('callback', 'blue');
    await checkpoint();
    expect(digest().split('\n')).toEqual([
      '1 prompt so far:',
      '- go on',
      'Last answer: It is blue.',
    ]);
    await say('user', 'and?');
    await say('callback', 'green');
    await checkpoint();
    expect(digest()).not.toContain('Last answer');
  }));
