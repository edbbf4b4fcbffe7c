/** A program may tell a compaction twice, by a hook and in its transcript, and in words of its own each: it is one. */
import { compactedMark, type TurnRole } from '../contract/words.ts';
import { singleSpaced } from './plain-text.ts';

interface Told {
  role: TurnRole;
  text: string;
}

export const isCompaction = ({ role, text }: Told) =>
  role === 'mark' && text.startsWith(compactedMark);

/** Shorter summaries may be those of another compaction. */
const SUMMARY_CHARS_MIN = 24;

/** The mark of the compaction that a hook tells, of what came last, if a transcript or the same hook has told it. */
export function toldCompaction<T extends Told & { source: string | null }>(
  turns: readonly T[],
  summary: string,
  mayBeRepeat: boolean,
): T | undefined {
  const sinceAnswer = turns.findLastIndex(({ role }) => role === 'assistant') + 1;
  const words = singleSpaced(summary);
  return turns.findLast((turn, at) => {
    if (!isCompaction(turn)) return false;
    if (turn.source === 'hook') {
      return mayBeRepeat && at >= sinceAnswer && turn.text === compactedMark + summary;
    }
    // One that comes late finds it by its words.
    const hasWords = words.length >= SUMMARY_CHARS_MIN && singleSpaced(turn.text).includes(words);
    return at >= sinceAnswer || hasWords;
  });
}
