/** When a session is summed up, by which hook, and what a child is then told as said since. */
import { expect, test } from '@jest/globals';
import { callerAs } from '../operations-fixture.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const cc = { harness: 'claude-code', sessionKey: 's1' };
const late = callerAs({ claims: { role: 'admin' }, isLateHook: true });
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const made = (room: HookRoom) =>
  room.store.db.all<{ trigger: string; digest: string }>(
    'SELECT trigger, digest FROM session_checkpoints ORDER BY id',
  );
const offered = async (room: HookRoom) =>
  (await room.ask('getContext', { key: 's1' })).offers!.text.split('\n').slice(3);

const summary = 'The user wants one; first was the answer to that.';
const next = 'The user wanted one and two; both of them are done.';
const compacted = line('user', `This session is being continued.\n${summary}`, {
  isCompactSummary: true,
  uuid: 'c1',
});

test.each([
  ['whose summary the transcript has told already', true],
  ['whose time is from before what was said since', false],
])(
  'a compaction hides nothing that was said since, when its hook comes late: one %s',
  (_, isTold) =>
    withHooks(async (room) => {
      const before =
        line('user', 'one', { uuid: 'u1' }) + line('assistant', 'first', { uuid: 'a1' });
      const after =
        line('user', 'two', { uuid: 'u2', timestamp: at(9) }) +
        line('assistant', 'second', { uuid: 'a2', timestamp: at(9) });
      await room.report('s1', before, { at: at(1) });
      await room.report('s1', before + (isTold ? compacted : '') + after, { at: at(9) });
      await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
      expect(await offered(room)).toEqual([
        ...['Checkpoint:', `  ${summary}`, 'Recent context:', '  User: two', '  Assistant: second'],
      ]);
    }),
);

test('a summary that comes later than the next checkpoint is told with that', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', { at: at(1) });
    await room.prompt('s1', 'two', { at: at(6) });
    await room.ask('hookPreCompaction', { ...cc, at: at(7) });
    await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
    await room.prompt('s1', 'three', { at: at(8) });
    expect(await offered(room)).toEqual([
      ...[
        'Checkpoint:',
        `  ${summary}`,
        '  2 prompts so far, the last ones:',
        '  - one',
        '  - two',
      ],
      ...['Recent context:', '  User: three'],
    ]);
    await room.ask('hookSessionEnd', { ...cc, at: at(9) });
    expect(made(room).at(-1)!.digest).toContain(summary);
  }));

test('a summary that comes later than the next one hides nothing of that', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', { at: at(1) });
    await room.prompt('s1', 'two', { at: at(6) });
    await room.ask('hookCompactionComplete', { ...cc, summary: next, at: at(7) });
    await room.prompt('s1', 'three', { at: at(8) });
    await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
    expect(await offered(room)).toEqual([
      ...['Checkpoint:', `  ${next}`, 'Recent context:', '  User: three'],
    ]);
    await room.ask('hookSessionEnd', { ...cc, at: at(9) });
    expect(made(room).at(-1)!.digest).toContain(next);
    expect(made(room).at(-1)!.digest).not.toContain(summary);
  }));

test('of two summaries that come later than the next checkpoint the second one is told', () =>
  withHooks(async (room) => {
    for (const n of [1, 6, 8]) await room.prompt('s1', `question ${n}`, { at: at(n) });
    await room.ask('hookPreCompaction', { ...cc, at: at(9) });
    await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
    await room.ask('hookCompactionComplete', { ...cc, summary: next, at: at(7) }, late);
    expect((await offered(room)).slice(0, 2)).toEqual(['Checkpoint:', `  ${next}`]);
  }));

test('a summary that comes late is that of its own compaction, also where the transcript ends with the next one', () =>
  withHooks(async (room) => {
    const again = line('user', `This session is being continued.\n${next}`, {
      isCompactSummary: true,
      uuid: 'c2',
    });
    const [one, two] = ['one', 'two'].map(
      (n) => line('user', n, { uuid: `u${n}` }) + line('assistant', `${n}!`, { uuid: `a${n}` }),
    );
    await room.report('s1', one + compacted + two + again);
    await room.ask('hookCompactionComplete', { ...cc, summary: next, at: at(7) });
    await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
    expect(await offered(room)).toEqual(['Checkpoint:', `  ${next}`]);
  }));

test('a summary that comes late hides nothing that was said since, where a prompt of before came late, too', () =>
  withHooks(async (room) => {
    await room.prompt('s1', 'one', { at: at(1) });
    await room.prompt('s1', 'three', { at: at(8) });
    const kept = { ...cc, userMessage: 'two', at: at(4) };
    await room.ask('hookUserPromptSubmit', kept, late);
    await room.ask('hookCompactionComplete', { ...cc, summary, at: at(5) }, late);
    expect(await offered(room)).toContain('  User: three');
  }));

/** Twelve prompts, a compaction and an end; each hook once, or again right away. */
async function live(room: HookRoom, times: number, isLate: boolean): Promise<void> {
  const caller = isLate ? late : room.admin;
  for (let n = 1; n <= 12; n += 1) {
    const hook = { ...cc, userMessage: `question ${n}`, at: at(n) };
    for (let time = 0; time < times; time += 1) {
      await room.ask('hookUserPromptSubmit', hook, caller);
      if (n === 11) await room.ask('hookPreCompaction', { ...cc, at: at(n) }, caller);
      if (n === 11) await room.ask('hookCompactionComplete', { ...cc, summary, at: at(n) }, caller);
    }
  }
  for (let time = 0; time < times; time += 1) {
    await room.ask('hookSessionEnd', { ...cc, at: at(20) }, caller);
  }
}

test('the same hooks make the same checkpoints, told once or twice, at once or late', async () => {
  const seen: unknown[] = [];
  for (const times of [1, 2]) {
    for (const isLate of [false, true]) {
      await withHooks(async (room) => {
        await live(room, times, isLate);
        expect(made(room).map(({ trigger }) => trigger)).toEqual([
          ...['prompts', 'pre_compaction', 'compaction', 'session_end'],
        ]);
        seen.push(made(room));
      });
    }
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
});
