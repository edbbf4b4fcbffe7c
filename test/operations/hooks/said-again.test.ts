/** Programs that report only the last messages, in conversations whose first words are said again. */
import { expect, test } from '@jest/globals';
import { isSaid } from '../../../domain/said-keys.ts';
import { everyTurn, lastTurns } from '../../../store/reading-order.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

const talk = [
  ['continue', 'I fixed the parser.'],
  ['now the tests', 'The tests pass.'],
  ['and the docs', 'Docs are written.'],
  ['continue', 'I opened the release branch.'],
  ['and the docs', 'They are there already.'],
  ['continue', 'All is done.'],
] as const;
const asLines = (some: readonly (readonly [string, string])[]) =>
  some.map(([user, assistant]) => line('user', user) + line('assistant', assistant)).join('');
const asText = (some: readonly (readonly [string, string])[]) =>
  some.map(([user, assistant]) => `User: ${user}\nAssistant: ${assistant}\n`).join('');
const wanted = talk.flatMap(([user, assistant]) => [`user: ${user}`, `assistant: ${assistant}`]);

async function tellLast(
  room: HookRoom,
  count: number,
  { write, isPrompted }: { write: typeof asLines; isPrompted: boolean },
): Promise<void> {
  for (let at = 0; at < talk.length; at += 1) {
    const [user, assistant] = talk[at]!;
    if (isPrompted) await room.prompt('s1', user, { idempotencyKey: `p${at}` });
    const transcript = write(talk.slice(Math.max(0, at + 1 - count / 2), at + 1));
    const stop = { harness: 'claude-code', sessionKey: 's1', idempotencyKey: `s${at}` };
    await room.ask('hookStop', { ...stop, transcript, lastAssistantMessage: assistant });
  }
}

test.each([
  ['the last two messages, as lines', 2, { write: asLines, isPrompted: true }],
  ['the last two messages, as lines, and no prompts', 2, { write: asLines, isPrompted: false }],
  ['the last two messages, as text', 2, { write: asText, isPrompted: true }],
  ['the last four messages, as lines', 4, { write: asLines, isPrompted: true }],
  ['the last four messages, as text, and no prompts', 4, { write: asText, isPrompted: false }],
] as const)(
  '%s: each stands once, in its place, and all of them told at the end add nothing',
  (_, count, how) =>
    withHooks(async (room) => {
      await tellLast(room, count, how);
      expect(room.said('s1')).toEqual(wanted);
      const end = { harness: 'claude-code', sessionKey: 's1', transcript: how.write(talk) };
      await room.ask('hookSessionEnd', end);
      expect(room.said('s1')).toEqual(wanted);
      expect(room.all('s1').filter((turn) => turn.includes('leaves turn'))).toEqual([]);
    }),
);

test('whoever reports all of it and goes back to the first prompt has gone back', () =>
  withHooks(async (room) => {
    await room.report('s1', asLines(talk.slice(0, 4)));
    await room.report('s1', line('user', 'continue') + line('assistant', 'Something else.'));
    expect(room.said('s1')).toEqual(['user: continue', 'assistant: Something else.']);
  }));

/** A program that reports its last two messages, whose exchanges are mostly of the same few words. */
const few = [
  ['go on', 'done'],
  ['and the docs', 'written'],
  ['go on', 'done'],
  ['yes', 'ok'],
  ['go on', 'done'],
  ['go on', 'done'],
] as const;

test.each([
  ['with ids of its own', (at: number) => ({ uuid: `m${at}` })],
  ['without ids, and never the same two in a row', null],
] as const)('of the last two messages %s, no exchange of few words is lost', (_, idOf) =>
  withHooks(async (room) => {
    const told = idOf === null ? few.slice(0, -1) : few;
    for (const [at, [user, assistant]] of told.entries()) {
      const [one, two] = [idOf?.(2 * at), idOf?.(2 * at + 1)];
      const window = line('user', user, one) + line('assistant', assistant, two);
      for (const idempotencyKey of [`k${at}`, `k${at}`, `again ${at}`]) {
        await room.ask('hookStop', {
          harness: 'claude-code',
          sessionKey: 's1',
          transcript: window,
          idempotencyKey,
        });
      }
    }
    expect(room.said('s1')).toEqual(
      told.flatMap(([user, assistant]) => [`user: ${user}`, `assistant: ${assistant}`]),
    );
    expect(room.all('s1').filter((turn) => turn.includes('shorter'))).toEqual([]);
  }),
);

const byId = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at)
    .map((at) =>
      line(at % 2 === 0 ? 'user' : 'assistant', ['yes', 'ok'][at % 3] ?? 'done', {
        uuid: `m${at}`,
      }),
    )
    .join('');
const idsRead = (room: HookRoom) => {
  const session = room.session('s1')!.id;
  return lastTurns(room.store.db, session, everyTurn)
    .filter(isSaid)
    .map(({ seq }) =>
      room.store.db.get<{ id: string }>(
        "SELECT substr(raw ->> 'uuid', 2) AS id FROM turns WHERE session_id = :session AND seq = :seq",
        { session, seq },
      ),
    )
    .map((row) => Number(row!.id));
};
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

test.each([
  ['a gap is filled by a later one', [byId(0, 3), byId(2, 5), byId(7, 8), byId(2, 9)], upTo(9)],
  [
    'one comes late, after those behind it',
    [byId(0, 3), byId(5, 9), byId(2, 7), byId(6, 9)],
    upTo(9),
  ],
  [
    'all comes, then its beginning, then more than all',
    [byId(0, 8), byId(0, 2), byId(0, 10)],
    upTo(10),
  ],
  ['they come backwards', [byId(6, 8), byId(4, 6), byId(0, 3), byId(0, 9)], upTo(9)],
])(
  'of lines with ids, in few words, where %s, each stands once, in its place',
  (_, reports, read) =>
    withHooks(async (room) => {
      for (const transcript of reports) await room.report('s1', transcript);
      expect(idsRead(room)).toEqual(read);
    }),
);
