/** Labelled technical conversations: who said what, and which question is answered by which turn. */
import { readFileSync } from 'node:fs';
import { createRandom } from '../talk.ts';

export interface Conversation {
  key: string;
  project: string;
  /** The day, as ISO text. */
  day: string;
  turns: { role: 'user' | 'assistant' | 'tool'; text: string }[];
}
export interface Question {
  text: string;
  key: string;
  /** Counted from 1. */
  turn: number;
}
export interface Half {
  conversations: Conversation[];
  questions: Question[];
}

const roles = { U: 'user', A: 'assistant', T: 'tool' } as const;
type Mark = keyof typeof roles;

/**
 * `= key | project | day` begins a conversation, `U`, `A` and `T` a turn, and `?` is a question that the turn
 * above it answers. Between them comes what is said in every conversation, so that answers are hard to find.
 */
export function readHalf(name: 'a' | 'b'): Half {
  const random = createRandom(name === 'a' ? 3 : 4);
  const filler = fillers();
  const half: Half = { conversations: [], questions: [] };
  for (const line of read(`talks-${name}.txt`)) {
    const [mark, rest] = [line[0]!, line.slice(2)];
    if (mark === '=') {
      const [key, project, day] = rest.split(' | ');
      half.conversations.push({ key: key!, project: project!, day: day!, turns: [] });
      continue;
    }
    const { key, turns } = half.conversations.at(-1)!;
    if (mark === '?') {
      half.questions.push({ text: rest, key, turn: turns.length });
      continue;
    }
    if (mark === 'U' && turns.length > 0) {
      const count = Math.floor(random() * 3);
      for (let n = 0; n < count; n += 1)
        turns.push(...filler[Math.floor(random() * filler.length)]!);
    }
    turns.push({ role: roles[mark as Mark], text: rest });
  }
  return half;
}

/** An exchange: what the user says, and what follows until the user speaks again. */
function fillers(): Conversation['turns'][] {
  const found: Conversation['turns'][] = [];
  for (const line of read('filler.txt')) {
    const turn = { role: roles[line[0] as Mark], text: line.slice(2) };
    if (turn.role === 'user') found.push([turn]);
    else found.at(-1)!.push(turn);
  }
  return found;
}

const read = (name: string) =>
  readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
