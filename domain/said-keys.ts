/** By what an entry is known to be a turn: the same words by the same speaker, and where lines have ids, the same line. */
import type { TranscriptEntry } from '../contract/transcript.ts';
import type { TurnRole } from '../contract/words.ts';
import { singleSpaced } from './plain-text.ts';
import { SHARED_MIN, type Key } from './snapshot-place.ts';

interface Said {
  role: TurnRole;
  text: string;
  id?: string | null;
}

/** Text that was said, and so has its place in the order; all else is about the session. */
export const isSaid = (turn: { role: TurnRole; text: string }) =>
  turn.role !== 'mark' && turn.text.trim() !== '';

/** Said in the same words by the same speaker. */
const wordsOf = (turn: Said) => `${turn.role}\0${singleSpaced(turn.text)}`;

/** Of these turns the ids have to be known: an entry of the same words bears one. */
export function ofDoubtfulId<T extends Said>(
  turns: readonly T[],
  entries: readonly TranscriptEntry[],
): T[] {
  if (turns.length === 0) return [];
  const words = new Set(entries.filter((entry) => entry.id !== null && isSaid(entry)).map(wordsOf));
  return words.size === 0 ? [] : turns.filter((turn) => isSaid(turn) && words.has(wordsOf(turn)));
}

/**
 * A line whose id is not known is new, whatever it says, unless nobody has heard the id of what said it: a hook
 * tells words alone. Lines without ids are known by their words.
 */
export function keysOf<T extends Said>(
  turns: readonly T[],
  entries: readonly TranscriptEntry[],
): { ofTurn: ReadonlyMap<T, string>; ofEntry: readonly Key[] } {
  // What nothing is known of is not looked at: a hook has mostly told nothing since its last transcript.
  if (turns.length === 0) return { ofTurn: new Map(), ofEntry: [] };
  const ofTurn = new Map(turns.map((turn) => [turn, withId(turn)]));
  const known = new Set(ofTurn.values());
  const ofEntry = entries.map((entry): Key => {
    const key = withId(entry);
    if (entry.id !== null && known.has(key)) return { key, weight: SHARED_MIN };
    return { key: wordsOf(entry), weight: entry.role === 'user' ? 0 : entry.text.trim().length };
  });
  return { ofTurn, ofEntry };
}

const withId = (turn: Said) => wordsOf(turn) + (turn.id == null ? '' : `\0${turn.id}`);
