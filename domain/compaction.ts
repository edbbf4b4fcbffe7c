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
  const marks = turns.flatMap((turn, at) =>
    isCompaction(turn) ? [{ turn, isLast: at >= sinceAnswer }] : [],
  );
  const words = singleSpaced(summary);
  const saysIt = ({ turn: { source, text }, isLast }: (typeof marks)[number]) =>
    source === 'hook'
      ? mayBeRepeat && isLast && text === compactedMark + summary
      : words.length >= SUMMARY_CHARS_MIN && singleSpaced(text).includes(words);
  // A hook that comes late finds its own by its words, also behind a later one; else the last one is it.
  const found =
    marks.findLast(saysIt) ??
    marks.findLast(({ turn, isLast }) => isLast && turn.source !== 'hook');
  return found?.turn;
}
