/** Words of somebody else among ours: a reader must be able to tell who says what. */
import { oneLine } from '../domain/plain-text.ts';
import { clip } from '../domain/text.ts';

/** Several lines, in a frame that they cannot close. */
export function frame(tag: 'agent-answer' | 'agent-error', id: string, words: Framed): string {
  return `<${tag} id="${id}" characters="${words.charsTotal}">\n${withoutTags(words.text)}\n</${tag}>`;
}

export interface Framed {
  text: string;
  charsTotal: number;
}

/** A title may have 200 characters, and our own hints are not much longer. */
const lineCharsMax = 250;

/** One line of ours that quotes them. */
export function inLine(text: string, charsMax = lineCharsMax): string {
  return withoutTags(clip(oneLine(text), charsMax));
}

/** Other tags stay as they are: most answers are about code. */
function withoutTags(text: string): string {
  return text.replace(/<(?=\s*\/?\s*agent-)/gi, '&lt;');
}
