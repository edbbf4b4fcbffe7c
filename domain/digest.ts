/** What a checkpoint says where nobody has written a summary: the same words for the same turns. */
import { limits } from '../contract/limits.ts';
import { singleSpaced } from './plain-text.ts';
import { redact } from './redact.ts';
import { clip, firstLine } from './text.ts';

export interface DigestParts {
  /** The last summary that was written for this session. */
  summary: string | null;
  promptCount: number;
  /** The last ones, oldest first. */
  prompts: string[];
  lastAnswer: string | null;
}

const promptChars = 180;
const answerChars = 600;

/**
 * Null where there is nothing to say. It fits into its room of the context block, so no part is cut there; and what is
 * cut here has no secrets any more: half of one does not look like one.
 */
export function digestOf({
  summary,
  promptCount,
  prompts,
  lastAnswer,
}: DigestParts): string | null {
  const lines: string[] = [];
  if (summary !== null) lines.push(wholeLines(redact(summary), limits.digestSummaryCharsMax));
  if (prompts.length > 0) {
    const count = Math.max(promptCount, prompts.length);
    lines.push(count === 1 ? '1 prompt so far:' : `${count} prompts so far, the last ones:`);
    lines.push(...prompts.map((prompt) => `- ${firstLine(redact(prompt), promptChars)}`));
  }
  if (lastAnswer !== null && lastAnswer.trim() !== '') {
    const answer = singleSpaced(redact(lastAnswer));
    lines.push(`Last answer: ${clip(answer, answerChars)}`);
  }
  return lines.length === 0 ? null : lines.join('\n');
}

function wholeLines(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.lastIndexOf('\n', charsMax - 2);
  return cut > 0 ? `${text.slice(0, cut)}\n…` : clip(text, charsMax);
}
