/** Where what a program's transcript says stands in what is known. */
import { leadingLengths, numbered } from './leading-lengths.ts';

export interface Place {
  from: number;
  /** It has all from there on: what it does not have was taken back. Else it is only a part, or stands apart. */
  isWhole: boolean;
}

export interface SaidWords {
  /** Who says it, and what. */
  words: string;
  /** A transcript has said it, not only a hook's own field. */
  isReported: boolean;
}

/**
 * Where a snapshot begins in what is known: where its words lead on to the end, or further; at the very
 * beginning; around words that it shares; or nowhere, and then only a hook's own words since the last
 * report can be its. It is whole where it has the first words, or at least half of all.
 */
export function placeOf(
  said: readonly SaidWords[],
  keys: readonly string[],
  program: { mayBeWhole: boolean; wasPart: boolean },
): Place {
  const since = said.findLastIndex((turn) => turn.isReported) + 1;
  // Among the hooks' own words each finds its place by itself.
  if (keys.length === 0 || since === 0) return { from: 0, isWhole: false };
  const words = said.map((turn) => turn.words);
  // A long conversation of few words would be compared for minutes.
  const [key, word] = numbered(keys, words);
  const reportedAt = said.flatMap((turn, index) => (turn.isReported ? [index] : []));
  const first = reportedAt[0]!;
  const leading = leadingLengths(key, word);
  const ofReported = leadingLengths(
    key,
    reportedAt.map((at) => word[at]!),
  );
  const atFirst = Math.max(leading[first]!, ofReported[0]!);
  const told = word.slice(since);
  const ends = [
    // What hooks have told since may have gaps, and may be said again: it is looked for behind the last report.
    { at: leadingOn(ofReported, roomBefore(told, key)), of: reportedAt, more: told.length },
    { at: leadingOn(leading, key.length), of: [...words.keys()], more: 0 },
    { at: leadingOn(ofReported, key.length), of: reportedAt, more: 0 },
  ];
  const end = ends.find(({ at }) => at >= 0);
  const { wasPart } = program;
  const isFromFirst = program.mayBeWhole && atFirst > 0;
  if (end !== undefined) {
    const from = end.of[end.at]!;
    const shared = end.of.length - end.at + end.more;
    const isNearer = shared > atFirst || (shared === atFirst && (wasPart || from >= since));
    const isAgain = from > first && isNearer;
    return isFromFirst && !isAgain ? { from: 0, isWhole: true } : { from, isWhole: false };
  }
  // Of who tells the last messages alone, the first words may just be said again.
  const isFirstAgain = wasPart && atFirst === 1 && keys.length > 1;
  if (isFromFirst && !isFirstAgain) return { from: 0, isWhole: true };
  const inside = leading.findLastIndex((length) => length === key.length);
  if (inside >= 0 && keys.join('').length >= REPEATED_CHARS_MIN) {
    return { from: inside, isWhole: false };
  }
  const shared = new Set(key);
  const isMost = reportedAt.filter((at) => shared.has(word[at]!)).length * 2 >= reportedAt.length;
  if (program.mayBeWhole && isMost && !isFirstAgain) return { from: 0, isWhole: true };
  const known = new Set(words);
  const telling = keys.find((one) => one.length >= TELLING_CHARS_MIN && known.has(one));
  const around = telling === undefined ? -1 : words.lastIndexOf(telling, since - 1);
  return { from: around >= 0 ? around : since, isWhole: false };
}

/** A few short words may well be said again; more than that is a snapshot that came late. */
const REPEATED_CHARS_MIN = 40;
/** Words that are said once. */
const TELLING_CHARS_MIN = 24;

/** The first place from which on all is what the keys begin with, and no more than there is room for; -1 for none. */
const leadingOn = (leading: Int32Array, room: number): number =>
  leading.findIndex(
    (length, start) => leading.length - start <= room && length === leading.length - start,
  );

/** How many keys may stand before these words, which come in this order; -1 where they do not. */
function roomBefore(words: readonly number[], keys: readonly number[]): number {
  let at = keys.length;
  for (const word of words.toReversed()) {
    at = at === 0 ? -1 : keys.lastIndexOf(word, at - 1);
    if (at < 0) return -1;
  }
  return at;
}
