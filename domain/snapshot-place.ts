/** Where what a program's transcript says stands in what is known. */
import { leadingLengths, numbered } from './leading-lengths.ts';

export interface Place {
  from: number;
  /** It has all from there on: what it does not have was taken back. Else it is only a part, or stands apart. */
  isWhole: boolean;
}

export interface SaidKey {
  /** Equal where the same is said: who says it, and what; of lines that have ids, that is known by those. */
  key: string;
  /** A transcript has said it, not only a hook's own field. */
  isReported: boolean;
}

export interface Key {
  key: string;
  /** How surely it is not just said again. */
  weight: number;
}

export interface Program {
  /** All that is known is looked at, not only the end of it. */
  mayBeWhole: boolean;
  /** Its report before was a part: it tells its last messages alone. */
  wasPart: boolean;
}

/**
 * What a part shares with what is not the end of what is known has to weigh so much, or it is said again. In
 * characters of answers: prompts are said again at any length, and so are short answers.
 */
export const SHARED_MIN = 24;

/**
 * Where a snapshot begins in what is known: where its words lead on to the end, or further; at the very
 * beginning; around words that it shares; or nowhere, and then only a hook's own words since the last
 * report can be its. It is whole where it has the first words, or at least half of all.
 */
export function placeOf(said: readonly SaidKey[], keys: readonly Key[], program: Program): Place {
  const since = said.findLastIndex((turn) => turn.isReported) + 1;
  // Among the hooks' own words each finds its place by itself.
  if (keys.length === 0 || since === 0) return { from: 0, isWhole: false };
  const { mayBeWhole, wasPart } = program;
  const laid = lay(said, keys);
  const { leading, ofReported, reportedAt, word, key } = laid;
  const atFirst = Math.max(leading[reportedAt[0]!]!, ofReported[0]!);
  const isEnough = (shared: readonly Key[]) => !wasPart || weigh(shared) >= SHARED_MIN;
  const isFromFirst = mayBeWhole && atFirst > 0;
  const end = endOf(laid, since);
  if (end !== null) {
    const isNearer =
      end.shared > atFirst || (end.shared === atFirst && (wasPart || end.from >= since));
    const isAll = end.from <= reportedAt[0]!;
    const isWhole = isFromFirst && (isAll || (!isNearer && isEnough(keys.slice(0, atFirst))));
    return isWhole ? { from: 0, isWhole } : { from: end.from, isWhole };
  }
  if (isFromFirst && isEnough(keys.slice(0, atFirst))) return { from: 0, isWhole: true };
  const inside = leading.findLastIndex((length) => length === keys.length);
  if (inside >= 0 && weigh(keys) >= SHARED_MIN) return { from: inside, isWhole: false };
  const isMost = inCommon(laid.reported, key) * 2 >= laid.reported.length;
  if (mayBeWhole && !wasPart && isMost) return { from: 0, isWhole: true };
  const known = new Set(word);
  const telling = keys.findIndex((one, at) => known.has(key[at]!) && one.weight >= SHARED_MIN);
  const around = telling < 0 ? -1 : word.lastIndexOf(key[telling]!, since - 1);
  return { from: around >= 0 ? around : since, isWhole: false };
}

/** Of what is said twice, once. */
const weigh = (keys: readonly Key[]) =>
  [...new Map(keys.map(({ key, weight }) => [key, weight])).values()].reduce(
    (sum, weight) => sum + weight,
    0,
  );

interface Laid {
  word: number[];
  key: number[];
  /** The words that a transcript has said, and where. */
  reported: number[];
  reportedAt: number[];
  /** From each place of what is known, how many it has of what the snapshot begins with. */
  leading: Int32Array;
  /** The same of what was reported alone. */
  ofReported: Int32Array;
}

function lay(said: readonly SaidKey[], keys: readonly Key[]): Laid {
  // As texts, a long conversation of few words would be compared for minutes.
  const [word, key] = numbered(
    said.map((turn) => turn.key),
    keys.map((one) => one.key),
  );
  const reportedAt = said.flatMap((turn, index) => (turn.isReported ? [index] : []));
  const reported = reportedAt.map((at) => word[at]!);
  return {
    ...{ word, key, reported, reportedAt },
    leading: leadingLengths(key, word),
    ofReported: leadingLengths(key, reported),
  };
}

/** From where on it leads to the end of what is known, and how much of that it has. */
function endOf(
  { word, key, leading, ofReported, reportedAt }: Laid,
  since: number,
): { from: number; shared: number } | null {
  const told = word.slice(since);
  const ends = [
    // What hooks have told since may have gaps, and may be said again: it is looked for behind the last report.
    { at: leadingOn(ofReported, roomBefore(told, key)), of: reportedAt, more: told.length },
    { at: leadingOn(leading, key.length), of: [...word.keys()], more: 0 },
    { at: leadingOn(ofReported, key.length), of: reportedAt, more: 0 },
  ];
  const end = ends.find(({ at }) => at >= 0);
  return end === undefined
    ? null
    : { from: end.of[end.at]!, shared: end.of.length - end.at + end.more };
}

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

/** How many both have, however often each is said. */
function inCommon(known: readonly number[], keys: readonly number[]): number {
  const left = new Map<number, number>();
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1);
  return known.filter((word) => {
    const times = left.get(word) ?? 0;
    left.set(word, times - 1);
    return times > 0;
  }).length;
}
