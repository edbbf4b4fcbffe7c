import { z } from 'zod';
import { bounds } from './bounds.ts';

export const cutAnswerSchema = z.object({
  text: z.string().describe('What the agent answered; cut in the middle if it is long'),
  charsTotal: z.number().int(),
  isWhole: z.boolean(),
  nextOffset: z
    .number()
    .int()
    .nullable()
    .describe('Give it to get_subagent as `offset` to read on; null when nothing is left'),
});
export type CutAnswer = z.infer<typeof cutAnswerSchema>;

/** Head and tail of a long answer, with a line between them that says what is missing. */
export function cutAnswer(content: string, charsMax: number = bounds.answerCharsMax): CutAnswer {
  const charsTotal = content.length;
  if (charsTotal <= charsMax) return { text: content, charsTotal, isWhole: true, nextOffset: null };
  const tail = Math.min(bounds.answerTailChars, Math.floor(charsMax / 4));
  const headEnd = wholeChar(content, charsMax - tail);
  const tailStart = wholeChar(content, charsTotal - tail);
  const gap = `\n[… ${tailStart - headEnd} characters left out …]\n`;
  return {
    text: content.slice(0, headEnd) + gap + content.slice(tailStart),
    charsTotal,
    isWhole: false,
    nextOffset: headEnd,
  };
}

/** One page of an answer, from `offset` on. */
export function answerFrom(content: string, offset: number): CutAnswer {
  const start = wholeChar(content, Math.min(offset, content.length));
  const end = wholeChar(content, Math.min(start + bounds.answerCharsMax, content.length));
  return {
    text: content.slice(start, end),
    charsTotal: content.length,
    isWhole: start === 0 && end === content.length,
    nextOffset: end < content.length ? end : null,
  };
}

/** A cut never parts the two halves of one character. */
export function wholeChar(content: string, index: number): number {
  const before = content.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
