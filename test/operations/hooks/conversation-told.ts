/** Conversations, and the ways in which a program reports one: its steps, its formats, with keys and without. */
import * as fc from 'fast-check';
import { harnesses, type Harness } from '../../../harnesses/names.ts';

export interface Message {
  role: 'user' | 'assistant';
  text: string;
  id: string;
}
export type Step =
  | { do: 'say'; isTold: boolean; withAnswer: boolean; brings: 'nothing' | 'all before' | 'all' }
  | { do: 'snapshot'; lag: number; by: 'inline' | 'path'; with: 'prompt' | 'stop' | 'extract' }
  | { do: 'window'; more: number }
  | { do: 'retry'; which: number }
  | { do: 'edit'; back: number; saying: number }
  | { do: 'compact' | 'prepare' | 'end' | 'start' | 'clear' };

/** How a program tells its conversation: all of it, what is new and some before, now this and now that, or all of what it goes back in. */
export type Way = 'whole' | 'windows' | 'mixed' | 'edited';

export interface Life {
  messages: Message[];
  steps: Step[];
  way: Way;
  harness: Harness;
  format: Format;
  /** Each message has an id of its own. */
  hasIds: boolean;
  /** Each hook under a key of its own, as our own command sends it; the seed's shape has none. */
  isKeyed: boolean;
  /** Its only hook with words is the seed's: each prompt, and the answer before it. Else now this, now that. */
  hasPromptsAlone: boolean;
}

/** `isOnce`: no words come twice. Else some of them do, or nearly all. */
export const lives = (way: Way, isOnce: boolean): fc.Arbitrary<Life> =>
  fc.record({
    messages: isOnce ? conversation('once') : fc.oneof(conversation('some'), conversation('few')),
    steps: fc.array(step(way), { maxLength: 40 }),
    way: fc.constant(way),
    harness: fc.constantFrom(...harnesses),
    format: fc.constantFrom(...formats),
    hasIds: fc.boolean(),
    isKeyed: fc.boolean(),
    hasPromptsAlone: fc.boolean(),
  });

const step = (way: Way): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('say' as const),
        isTold: fc.boolean(),
        withAnswer: fc.boolean(),
        brings: fc.constantFrom('nothing' as const, 'all before' as const, 'all' as const),
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
      weight: way === 'windows' || way === 'mixed' ? 3 : 0,
      arbitrary: fc.record({ do: fc.constant('window' as const), more: fc.nat(4) }),
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

/** What is said again and again, also as a part of something else; words with a number are said once. */
const phrases = [
  ...['ok', 'go on', 'Done.', 'please write the test', 'please write the test for it as well'],
];

/** Nothing of which says where it stands. */
const fewWords = ['yes', 'go on', 'ok', 'done'];

const wordsOf = {
  once: fc.constant(['']),
  some: fc.subarray(phrases, { minLength: 1, maxLength: 2 }).map((some) => ['', ...some]),
  few: fc.subarray(fewWords, { minLength: 1, maxLength: 3 }),
};

const conversation = (words: keyof typeof wordsOf): fc.Arbitrary<Message[]> =>
  wordsOf[words].chain((some) =>
    fc
      .array(fc.tuple(fc.boolean(), fc.constantFrom(...some)), { minLength: 1, maxLength: 14 })
      .map((drawn) =>
        drawn.map(([isExtra, text], index): Message => ({
          // Mostly in turns; now and then one says two things.
          role: (index % 2 === 0) !== (isExtra && index % 5 === 4) ? 'user' : 'assistant',
          text: text || `message ${index} has these words`,
          id: `msg_${index}`,
        })),
      ),
  );

type Format = 'lines' | 'plain' | 'unended' | 'document';
const formats: Format[] = ['lines', 'plain', 'unended', 'document'];

export function write(messages: Message[], { format, harness, hasIds }: Life): string {
  if (format === 'plain') {
    return messages
      .map(({ role, text }) => `${role === 'user' ? 'User' : 'Assistant'}: ${text}`)
      .join('\n');
  }
  const records = messages.map((message) =>
    JSON.stringify(recordOf[harness](message, hasIds ? message.id : undefined)),
  );
  if (format === 'document') return `[${records.join(', ')}]`;
  return records
    .map((one) => `${one}\n`)
    .join('')
    .slice(0, format === 'unended' ? -1 : undefined);
}

/** A message as each program writes it, and nothing beside it. */
const recordOf: Record<Harness, (message: Message, id?: string) => object> = {
  'claude-code': ({ role, text }, id) => ({
    ...{ type: role, message: { role, content: text } },
    uuid: id,
  }),
  codex: ({ role, text }, id) => {
    const content = [{ type: role === 'user' ? 'input_text' : 'output_text', text }];
    return { type: 'response_item', payload: { type: 'message', id, role, content } };
  },
  'gemini-cli': ({ role, text }, id) =>
    role === 'user'
      ? { id, type: 'user', content: [{ text }] }
      : { id, type: 'gemini', content: text },
  opencode: ({ role, text }, id) => ({ info: { id, role }, parts: [{ type: 'text', text }] }),
  'copilot-cli': ({ role, text }, id) => ({ id, type: `${role}.message`, data: { content: text } }),
  openclaw: ({ role, text }, id) => ({
    ...{ type: 'message', id },
    message: { role, content: [{ type: 'text', text }] },
  }),
};
