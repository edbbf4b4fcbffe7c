/**
 * `User: …` and `Assistant: …`, as our own API writes it. An entry is what one speaker says, with all the lines up to
 * the next speaker's name. Text under no name is taken for the assistant's: it is the one who speaks at length.
 */
import type { TranscriptEntry } from '../../contract/transcript.ts';
import { linesOf } from '../parse-records.ts';
import { mark, said, type Said } from '../said.ts';

const speakers = {
  User: 'user',
  Human: 'user',
  Assistant: 'assistant',
  Tool: 'tool',
  System: 'mark',
} as const satisfies Record<string, Said['role']>;

/**
 * With a capital and at the start of a line only: `user: postgres` in a file is nobody's turn. Some editors, and shells of
 * Windows, write a byte order mark before all that they save.
 */
export const heading = /^\ufeff?(User|Human|Assistant|Tool|System):[ \t]?/;
const nowhere = { at: null, id: null };

export function parsePlainText(text: string): TranscriptEntry[] {
  const blocks: string[][] = [];
  for (const line of linesOf(text)) {
    const block = blocks.at(-1);
    if (block === undefined || heading.test(line)) blocks.push([line]);
    else block.push(line);
  }
  return blocks.map((lines) => entryOf(lines.join('')));
}

function entryOf(raw: string): TranscriptEntry {
  const found = heading.exec(raw);
  const spoken = raw.slice(found?.[0].length ?? 0).trimEnd();
  if (spoken === '') return { ...mark(), raw };
  const role = speakers[(found?.[1] ?? 'Assistant') as keyof typeof speakers];
  return { ...said(role, spoken, nowhere), raw };
}
