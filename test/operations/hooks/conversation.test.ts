/** However it is reported, the same conversation gives the same turns. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { isSaid } from '../../../domain/said-keys.ts';
import { everyTurn, lastTurns } from '../../../store/reading-order.ts';
import { live, spoken } from './conversation-life.ts';
import { lives } from './conversation-told.ts';
import { line, withHooks } from './hooks-fixture.ts';

const runs = () => ({
  // The same each time; SEED and RUNS look elsewhere.
  seed: Number(process.env['SEED'] ?? 20261118),
  numRuns: Number(process.env['RUNS'] ?? 80),
});

test.each([
  ['whole transcripts', 'whole'],
  ['only the last messages', 'windows'],
  ['now all and now the last messages', 'mixed'],
] as const)(
  'any interleaving gives, after each step, the turns of what was told of the conversation: %s',
  async (_, way) => {
    await fc.assert(
      fc.asyncProperty(lives(way, false), async (life) => {
        await withHooks(async (room) => {
          await live(room, life, ({ known, isInOrder }) => {
            const read = room.said('s1');
            const wanted = known.map(spoken);
            if (isInOrder) expect(read).toEqual(wanted);
            else expect(read.toSorted()).toEqual(wanted.toSorted());
          });
        });
      }),
      runs(),
    );
  },
  120_000,
);

test('of a conversation that is gone back in, the last branch is read, and all that was ever told is kept once', async () => {
  await fc.assert(
    fc.asyncProperty(lives('edited', true), async (life) => {
      await withHooks(async (room) => {
        const { messages, left, isInOrder } = await live(room, life, ({ told }) => {
          const kept = room.all('s1').filter((turn) => !turn.startsWith('mark: '));
          expect(kept.toSorted()).toEqual([...told].toSorted());
        });
        const turns = lastTurns(room.store.db, room.session('s1')!.id, everyTurn).filter(isSaid);
        // Of what only a hook has told nobody says that it was taken back.
        const read = turns
          .filter((turn) => turn.raw !== null || !left.has(spoken(turn)))
          .map(spoken);
        const wanted = messages.map(spoken);
        if (isInOrder) expect(read).toEqual(wanted);
        else expect(read.toSorted()).toEqual(wanted.toSorted());
      });
    }),
    runs(),
  );
}, 120_000);

test('an answer of which nothing else is known comes after the prompt that a hook has told', async () => {
  await withHooks(async (room) => {
    await room.prompt('s1', 'the prompt');
    await room.report('s1', line('assistant', 'its answer'));
    expect(room.said('s1')).toEqual(['user: the prompt', 'assistant: its answer']);
  });
});

test.each([['first'], ['behind what was reported before']])(
  'an answer that last messages begin with comes after the prompt that a hook has told: %s',
  (where) =>
    withHooks(async (room) => {
      const begin = where === 'first' ? [] : ['begin', 'begun'];
      const [ask, answer] = begin;
      if (ask && answer) await room.report('s1', line('user', ask) + line('assistant', answer));
      for (const words of ['one', 'two']) await room.prompt('s1', words, { idempotencyKey: words });
      const last = [line('assistant', 'first'), line('user', 'two'), line('assistant', 'second')];
      await room.report('s1', last.join(''));
      const wanted = ['user: one', 'assistant: first', 'user: two', 'assistant: second'];
      expect(room.said('s1').slice(begin.length)).toEqual(wanted);
    }),
);

test('last messages that begin like those before are not taken for what came behind them', async () => {
  await withHooks(async (room) => {
    const [one, again, two] = [line('user', 'one'), line('assistant', 'ok'), line('user', 'two')];
    await room.report('s1', one + again + two + again);
    await room.report('s1', again);
    await room.report('s1', again + two + again);
    expect(room.said('s1')).toEqual(['user: one', 'assistant: ok', 'user: two', 'assistant: ok']);
  });
});

test('last messages stand behind what was reported, also where a hook has told what comes after a gap', async () => {
  await withHooks(async (room) => {
    const [ask, one, two] = [line('user', 'go on'), line('assistant', 'first'), 'second'];
    await room.report('s1', ask + one);
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: two };
    await room.ask('hookStop', stop);
    await room.report('s1', one + ask + line('assistant', two));
    const wanted = ['user: go on', 'assistant: first', 'user: go on', 'assistant: second'];
    expect(room.said('s1')).toEqual(wanted);
  });
});

test('a prompt of which a lagging transcript tells comes before the answer that a hook has told', async () => {
  await withHooks(async (room) => {
    const begin = line('user', 'one') + line('assistant', 'first');
    await room.report('s1', begin);
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: 'second' };
    await room.ask('hookStop', stop);
    await room.report('s1', begin + line('user', 'two'));
    const wanted = ['user: one', 'assistant: first', 'user: two', 'assistant: second'];
    expect(room.said('s1')).toEqual(wanted);
  });
});

test('last messages that begin with words that a hook has told since stand where they were reported', async () => {
  await withHooks(async (room) => {
    const [ask, one] = [line('user', 'go on'), line('assistant', 'first')];
    await room.prompt('s1', 'go on', { idempotencyKey: 'k1' });
    await room.report('s1', line('user', 'begin') + ask);
    await room.prompt('s1', 'go on', { idempotencyKey: 'k2' });
    await room.report('s1', ask + one + ask + line('assistant', 'second'));
    const wanted = ['user: begin', 'user: go on', 'assistant: first', 'user: go on'];
    expect(room.said('s1')).toEqual([...wanted, 'assistant: second']);
  });
});

test('a prompt is known by its own words before it is looked for among others', async () => {
  await withHooks(async (room) => {
    const [long, short] = ['please write the test for it', 'please write the test'];
    await room.prompt('s1', short);
    await room.report('s1', line('user', long) + line('assistant', 'done') + line('user', short));
    expect(room.said('s1')).toEqual([`user: ${long}`, 'assistant: done', `user: ${short}`]);
  });
});

test('an answer to what was taken back stays before the prompt that came instead, which stands once', async () => {
  await withHooks(async (room) => {
    const begin = line('user', 'one') + line('assistant', 'first');
    await room.report('s1', begin + line('user', 'two'));
    const stop = { harness: 'claude-code', sessionKey: 's1', lastAssistantMessage: 'second' };
    await room.ask('hookStop', stop);
    await room.prompt('s1', 'three', { transcript: begin + line('user', 'three') });
    const wanted = ['user: one', 'assistant: first', 'assistant: second', 'user: three'];
    expect(room.said('s1')).toEqual(wanted);
  });
});
