/** A compaction that its program tells twice, by a hook and by its transcript, is one: one mark, and one new context. */
import { expect, test } from '@jest/globals';
import { hooksOf } from '../../../harnesses/hooks-of.ts';
import { readHook } from '../../../harnesses/hooks.ts';
import { parserFor } from '../../../harnesses/index.ts';
import { readCapture } from '../../support/captures.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const before = line('user', 'one', { uuid: 'u1' }) + line('assistant', 'first', { uuid: 'a1' });
const after = line('user', 'two', { uuid: 'u2' }) + line('assistant', 'second', { uuid: 'a2' });
const compactCommand = line('user', '<command-name>/compact</command-name>', { uuid: 'u-c' });
const summary = 'The user wants one; first was the answer to that.';

/** As Claude Code writes it, in its own words around the summary. */
const compactedAt = (n: number) =>
  `${JSON.stringify({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', uuid: `b${n}` })}\n` +
  line('user', `This session is being continued. The summary below covers it.\n${summary}`, {
    isCompactSummary: true,
    uuid: `s${n}`,
  });

const cc = { harness: 'claude-code', sessionKey: 's1' };
const marks = (room: HookRoom) => room.all('s1').filter((turn) => /mark: .*ompact/.test(turn));
const told = expect.stringMatching(/^mark: compacted: [^]*The user wants one/);

type Told = (room: HookRoom, transcript?: string) => Promise<unknown>;
const byHook: Told = (room) => room.ask('hookCompactionComplete', { ...cc, summary });
const withHook: Told = (room, transcript) =>
  room.ask('hookCompactionComplete', { ...cc, summary, transcript });
const byTranscript: Told = (room, transcript = before + compactedAt(1)) =>
  room.report('s1', transcript);

test.each([
  ['by its hook, then its transcript', [byHook, byTranscript]],
  ['by its transcript, then its hook', [byTranscript, byHook]],
  ['by its transcript alone', [byTranscript]],
  ['by its hook alone', [byHook]],
  ['by its hook, twice, and its transcript', [byHook, byHook, byTranscript, byHook]],
  [
    'by its hook, which brings the transcript',
    [(room: HookRoom) => withHook(room, before + compactedAt(1)), byTranscript],
  ],
  [
    'by its hook, and its transcript line by line',
    [
      (room: HookRoom) => byTranscript(room, before + compactedAt(1).split('\n')[0]!),
      byHook,
      byTranscript,
    ],
  ],
  [
    'by its transcript with the command behind it, then its hook',
    [(room: HookRoom) => byTranscript(room, before + compactedAt(1) + compactCommand), byHook],
  ],
  [
    'by its transcript, with what was said since, then its hook, late',
    [(room: HookRoom) => byTranscript(room, before + compactedAt(1) + after), byHook],
  ],
  [
    'by its hook, then its transcript with what was said since',
    [byHook, (room: HookRoom) => byTranscript(room, before + compactedAt(1) + after)],
  ],
  [
    'by its hook, then in a transcript that is written anew',
    [
      byHook,
      byTranscript,
      (room: HookRoom) =>
        byTranscript(room, `${before}${compactedAt(1)}${after}`.replace('one', 'one!')),
    ],
  ],
] as const)('%s', (_, tells) =>
  withHooks(async (room) => {
    await room.report('s1', before);
    await room.ask('hookPreCompaction', cc);
    await room.ask('hookSessionStart', { ...cc, source: 'compact' });
    for (const tell of tells) await tell(room);
    expect(marks(room)).toEqual(['mark: about to be compacted', 'mark: started: compact', told]);
    expect(room.session('s1')!.context_epoch).toBe(1);
  }),
);

test('what stands before a prompt that a hook has told since is the same compaction', () =>
  withHooks(async (room) => {
    await room.report('s1', before);
    await byHook(room);
    await room.prompt('s1', 'two');
    await byTranscript(room, before + compactedAt(1) + after);
    expect(marks(room)).toEqual([told]);
    expect(room.said('s1')).toEqual([
      'user: one',
      'assistant: first',
      'user: two',
      'assistant: second',
    ]);
  }));

test('two compactions are two, in whatever order they are told', () =>
  withHooks(async (room) => {
    const [one, two] = [before + compactedAt(1), before + compactedAt(1) + after + compactedAt(2)];
    await byTranscript(room, one);
    await byHook(room);
    await byTranscript(room, one + after);
    await byHook(room);
    await byTranscript(room, two);
    expect([marks(room), room.session('s1')!.context_epoch]).toEqual([[told, told], 2]);
  }));

/** As each program writes it, where it does. */
const lines = {
  codex: { type: 'compacted', payload: { message: summary } },
  'copilot-cli': {
    type: 'session.compaction_complete',
    id: 'c1',
    data: { summaryContent: summary },
  },
  openclaw: { type: 'compaction', id: 'c1', summary },
};

test.each(Object.entries(lines))('%s', (harness, record) =>
  withHooks(async (room) => {
    const own = { harness, sessionKey: 's1' };
    const transcript = `${JSON.stringify(record)}\n`;
    for (const tell of ['hook', 'transcript', 'hook', 'transcript']) {
      if (tell === 'hook') await room.ask('hookCompactionComplete', { ...own, summary });
      else await room.report('s1', transcript, { harness });
      expect([marks(room).length, room.session('s1')!.context_epoch]).toEqual([1, 1]);
    }
  }),
);

test('the stream of a compaction that Claude Code has written says one, and nothing in the name of the user', () => {
  const content = readCapture('claude-code/stream-compact.jsonl');
  const said = parserFor('claude-code', content)(content).filter(({ text }) => text !== '');
  expect(said.map(({ role, text }) => `${role} ${text.slice(0, 24)}`)).toEqual([
    'mark compacted: This session ',
    'mark <local-command-stdout>Co',
  ]);
});

test('what OpenCode has said before a compaction in the same turn, and at its end, is told by its plugin', () =>
  withHooks(async (room) => {
    const hooks = await hooksOf('opencode');
    const read = (name: string, payload: object) =>
      readHook(hooks, { harness: 'opencode', name, payload: payload as never })!.request as never;
    const input = { sessionID: 's1' };
    const compacting = { input, output: { context: [] }, lastAssistantMessage: 'half of it' };
    const idle = { type: 'session.idle', properties: input, lastAssistantMessage: 'all of it' };
    await room.ask('hookPreCompaction', read('experimental.session.compacting', compacting));
    // Of a turn that is broken off it tells twice that it is over.
    for (let n = 0; n < 2; n += 1) await room.ask('hookStop', read('session.idle', idle));
    expect(room.said('s1')).toEqual(['assistant: half of it', 'assistant: all of it']);
  }));
