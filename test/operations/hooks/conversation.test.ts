/** However it is reported, the same conversation gives the same turns. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { isSaid } from '../../../domain/merge-entries.ts';
import { everyTurn, lastTurns } from '../../../store/reading-order.ts';
import { line, withHooks, type HookRoom } from './hooks-fixture.ts';

interface Message {
  role: 'user' | 'assistant';
  text: string;
}
type Step =
  | { do: 'say'; isTold: boolean; withAnswer: boolean }
  | { do: 'snapshot'; lag: number; by: 'inline' | 'path'; with: 'prompt' | 'stop' | 'extract' }
  | { do: 'window'; size: number }
  | { do: 'retry'; which: number }
  | { do: 'edit'; back: number; saying: number }
  | { do: 'compact' | 'prepare' | 'end' | 'start' | 'clear' };

/** How a program tells its conversation: all of it, its last messages, or all of what it goes back in. */
type Way = 'whole' | 'windows' | 'edited';

const step = (way: Way): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('say' as const),
        isTold: fc.boolean(),
        withAnswer: fc.boolean(),
      }),
    },
    {
      weight: way === 'windows' ? 0 : 3,
      arbitrary: fc.record({
        do: fc.constant('snapshot' as const),
        lag: fc.nat(4),
        by: fc.constantFrom('inline' as const, 'path' as const),
        with: fc.constantFrom('prompt' as const, 'stop' as const, 'extract' as const),
      }),
    },
    {
      weight: way === 'windows' ? 3 : 0,
      arbitrary: fc.record({
        do: fc.constant('window' as const),
        size: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: way === 'edited' ? 2 : 0,
      arbitrary: fc.record({
        do: fc.constant('edit' as const),
        back: fc.integer({ min: 1, max: 6 }),
        saying: fc.nat(4),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('retry' as const), which: fc.nat(50) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('compact', 'prepare', 'end', 'start', 'clear'),
      }) as fc.Arbitrary<Step>,
    },
  );

/** Short words come again and again; those with a number are said once. */
const words = (isOnce: boolean) =>
  isOnce
    ? fc.constant('')
    : fc.constantFrom('', '', 'ok', 'go on', 'Done.', 'please write the test for it as well');

function conversation(isOnce: boolean) {
  return fc
    .array(fc.tuple(fc.boolean(), words(isOnce)), { minLength: 1, maxLength: 14 })
    .map((drawn) =>
      drawn.map(([isExtra, text], index): Message => ({
        // Mostly in turns; now and then one says two things.
        role: (index % 2 === 0) !== (isExtra && index % 5 === 4) ? 'user' : 'assistant',
        text: text || `the words of message number ${index}`,
      })),
    );
}

type Format = 'lines' | 'plain' | 'unended' | 'document';
const formats: Format[] = ['lines', 'plain', 'unended', 'document'];

function write(messages: Message[], format: Format): string {
  const lines = messages.map(({ role, text }) => line(role, text));
  if (format === 'lines') return lines.join('');
  if (format === 'unended') return lines.join('').trimEnd();
  if (format === 'document') return `[${lines.map((one) => one.trimEnd()).join(', ')}]`;
  return messages
    .map(({ role, text }) => `${role === 'user' ? 'User' : 'Assistant'}: ${text}`)
    .join('\n');
}

interface Lived {
  /** The conversation as it is in the end. */
  messages: Message[];
  /** What was said and taken back again. */
  left: Set<string>;
  /** Everything that any hook has told, in its own words or by a transcript. */
  told: Set<string>;
}

const spoken = ({ role, text }: { role: string; text: string }) => `${role}: ${text}`;

async function live(
  room: HookRoom,
  start: Message[],
  steps: Step[],
  format: Format,
): Promise<Lived> {
  let messages = start;
  const left = new Set<string>();
  const told = new Set<string>();
  let edits = 0;
  let editedAt = -1;
  const path = room.stage('session.jsonl', '');
  const sent: (() => Promise<unknown>)[] = [];
  let said = 0;
  let onDisk = '';
  let count = 0;
  const send = async (name: string, hook: object) => {
    count += 1;
    const body = { harness: 'claude-code', sessionKey: 's1', idempotencyKey: `k${count}`, ...hook };
    const call = () => room.ask(name as 'hookStop', body);
    sent.push(call);
    await call();
  };
  const snapshot = (until: number, by: 'inline' | 'path') => {
    messages.slice(0, until).forEach((message) => told.add(spoken(message)));
    const content = write(messages.slice(0, until), format);
    if (by === 'inline') return content === '' ? {} : { transcript: content };
    // As a program does: what is there is added to, unless its end has to be written anew.
    if (content.startsWith(onDisk)) appendFileSync(path, content.slice(onDisk.length));
    else writeFileSync(path, content);
    onDisk = content;
    return { transcriptPath: path };
  };
  for (const one of steps) {
    if (one.do === 'say' && said < messages.length) {
      const { role, text } = messages[said]!;
      const before = messages[said - 1];
      said += 1;
      if (one.isTold) told.add(spoken(messages[said - 1]!));
      // An answer that stands before what was taken back would be told as the answer to that.
      const isAnswered = one.withAnswer && before?.role === 'assistant' && said - 1 !== editedAt;
      const answer = isAnswered ? { lastAssistantMessage: before.text } : {};
      if (one.isTold && role === 'user' && isAnswered) told.add(spoken(before));
      if (one.isTold && role === 'user') {
        await send('hookUserPromptSubmit', { userMessage: text, ...answer });
      } else if (one.isTold) await send('hookStop', { lastAssistantMessage: text });
    } else if (one.do === 'snapshot') {
      const names = {
        prompt: 'hookPreCompaction',
        stop: 'hookStop',
        extract: 'hookSessionCheckpointExtract',
      };
      await send(names[one.with], snapshot(Math.max(0, said - one.lag), one.by));
    } else if (one.do === 'window') {
      const content = write(messages.slice(Math.max(0, said - one.size), said), format);
      if (said > 0) await send('hookStop', { transcript: content });
    } else if (one.do === 'edit' && said > 0) {
      // Who goes back takes a prompt back, and with it what came after; what shares nothing with what
      // is known could be the last messages as well as all of them.
      let from = Math.max(0, said - one.back);
      while (from > 0 && messages[from]!.role !== 'user') from -= 1;
      if (from === 0) continue;
      messages.slice(from, said).forEach((message) => left.add(spoken(message)));
      edits += 1;
      editedAt = from;
      const anew = Array.from({ length: one.saying + 1 }, (_, index): Message => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        text: `the words of edit ${edits}, message ${index}`,
      }));
      messages = [...messages.slice(0, from), ...anew];
      said = from;
    } else if (one.do === 'retry' && sent.length > 0) await sent[one.which % sent.length]!();
    else if (one.do === 'compact')
      await send('hookCompactionComplete', { summary: `until ${said}` });
    else if (one.do === 'prepare') await send('hookPreCompaction', {});
    else if (one.do === 'start') await send('hookSessionStart', { source: 'resume' });
    else if (one.do === 'clear') await send('hookSessionStart', { source: 'clear' });
    else if (one.do === 'end') await send('hookSessionEnd', {});
  }
  await send('hookSessionEnd', snapshot(messages.length, 'inline'));
  return { messages, left, told };
}

const runs = () => ({
  // The same each time; SEED and RUNS look elsewhere.
  seed: Number(process.env['SEED'] ?? 20261118),
  numRuns: Number(process.env['RUNS'] ?? 60),
});

test.each([
  ['whole transcripts', 'whole'],
  ['only the last messages, and all of it at the end', 'windows'],
] as const)(
  'any interleaving gives the turns of the conversation: %s',
  async (_, way) => {
    await fc.assert(
      fc.asyncProperty(
        conversation(way === 'windows'),
        fc.array(step(way), { maxLength: 40 }),
        fc.constantFrom(...formats),
        async (messages, steps, format) => {
          await withHooks(async (room) => {
            await live(room, messages, steps, format);
            expect(room.said('s1')).toEqual(messages.map(spoken));
          });
        },
      ),
      runs(),
    );
  },
  120_000,
);

test('of a conversation that is gone back in, the last branch is read, and all that was ever told is kept once', async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation(true),
      fc.array(step('edited'), { maxLength: 40 }),
      fc.constantFrom(...formats),
      async (start, steps, format) => {
        await withHooks(async (room) => {
          const { messages, left, told } = await live(room, start, steps, format);
          const turns = lastTurns(room.store.db, room.session('s1')!.id, everyTurn).filter(isSaid);
          // Of what only a hook has told nobody says that it was taken back.
          const read = turns.filter((turn) => turn.raw !== null || !left.has(spoken(turn)));
          expect(read.map(spoken)).toEqual(messages.map(spoken));
          const kept = room.all('s1').filter((turn) => !turn.startsWith('mark: '));
          expect(kept.toSorted()).toEqual([...told].toSorted());
        });
      },
    ),
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
