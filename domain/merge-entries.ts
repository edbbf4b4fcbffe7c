/** How what a program's transcript says is laid over the turns that are known already. */
import type { TranscriptEntry } from '../contract/transcript.ts';
import type { TurnRole } from '../contract/words.ts';

export interface KnownTurn {
  seq: number;
  role: TurnRole;
  text: string;
  raw: string | null;
  /** A transcript has said it, not only a hook's own field. */
  isReported: boolean;
}

export interface Merged {
  /** For each entry the turn that it is already, or null for a new one. */
  turns: (KnownTurn | null)[];
  /** What was said, in the order in which it is read from now on; of new entries their index. */
  order: ({ seq: number } | { entry: number })[];
  /** Reported turns that its program does not have any more: it has gone back, or written anew. */
  left: KnownTurn[];
  /** Whether it stands beside what is known: no entry of it was. */
  isApart: boolean;
  /** Whether it ends before what is known does, and has nothing else. */
  isShorter: boolean;
}

/** Text that was said, and so has its place in the order; all else is about the session. */
export const isSaid = (turn: { role: TurnRole; text: string }) =>
  turn.role !== 'mark' && turn.text.trim() !== '';

/** What of the conversation is known: what came since the last report, its newest turns, or all. */
export type Extent = 'since' | 'tail' | 'all';

export interface Known {
  extent: Extent;
  /** In the order in which they are read. */
  turns: KnownTurn[];
  /** Said in branches that were left: their words may come back. */
  away: KnownTurn[];
}

/**
 * Of what is known `since` a report, the entries are known to come right behind that report: what else
 * was reported is then no more.
 */
export function mergeEntries(known: Known, entries: TranscriptEntry[]): Merged {
  const said = known.turns.filter(isSaid);
  const { from, isWhole } =
    known.extent === 'since'
      ? { from: 0, isWhole: true }
      : placeOf(said, entries.filter(isSaid), known.extent === 'all');
  const turns = align(said, entries, from);
  const isApart =
    known.extent !== 'since' &&
    said.some((turn) => turn.isReported) &&
    entries.some(isSaid) &&
    turns.every((turn) => turn === null);
  matchAway(known.away, entries, turns);
  // Right behind a report, the same line once more is one more line.
  if (known.extent !== 'since') matchMarks(known.turns, entries, turns);
  const laid = layOut(said, entries, turns, { from, isWhole });
  return { turns, ...laid, isApart, isShorter: laid.isShorter && known.extent !== 'since' };
}

/** Said in the same words by the same speaker; spaces are as each program likes them. */
const wordsOf = (turn: { role: TurnRole; text: string }) =>
  `${turn.role}\0${turn.text.replace(/\s+/g, ' ').trim()}`;

/**
 * Where a snapshot begins in what is known: where its words lead on to the end, or further; at the very
 * beginning; around words that it shares; or nowhere, and then only a hook's own words since the last
 * report can be its. It is whole where it has the first words, or at least half of all.
 */
function placeOf(
  said: KnownTurn[],
  entries: TranscriptEntry[],
  mayBeWhole: boolean,
): { from: number; isWhole: boolean } {
  const keys = entries.map(wordsOf);
  const words = said.map(wordsOf);
  const since = said.findLastIndex((turn) => turn.isReported) + 1;
  if (keys.length === 0) return { from: since, isWhole: false };
  const first = said.findIndex((turn) => turn.isReported);
  const isFromFirst = mayBeWhole && keys[0] === words[Math.max(first, 0)];
  const end = words.findIndex(
    (_, start) => words.length - start <= keys.length && leadsOn(words, start, keys),
  );
  if (end >= 0) return { from: isFromFirst ? 0 : end, isWhole: isFromFirst };
  if (isFromFirst) return { from: 0, isWhole: true };
  const inside = words.findLastIndex((_, start) => leadsOn(words, start, keys));
  if (inside >= 0 && keys.join('').length >= REPEATED_CHARS_MIN) {
    return { from: inside, isWhole: false };
  }
  const shared = new Set(keys);
  const reported = said.filter((turn) => turn.isReported);
  const isMost = reported.filter((turn) => shared.has(wordsOf(turn))).length * 2 >= reported.length;
  if (mayBeWhole && reported.length > 0 && isMost) return { from: 0, isWhole: true };
  const key = keys.find((one) => one.length >= TELLING_CHARS_MIN && words.includes(one));
  const around = key === undefined ? -1 : words.lastIndexOf(key, since - 1);
  return { from: around >= 0 ? around : since, isWhole: false };
}

/** A few short words may well be said again; more than that is a snapshot that came late. */
const REPEATED_CHARS_MIN = 40;
/** Words that are said once. */
const TELLING_CHARS_MIN = 24;

function leadsOn(words: string[], start: number, keys: string[]): boolean {
  const length = Math.min(words.length - start, keys.length);
  for (let at = 0; at < length; at += 1) if (words[start + at] !== keys[at]) return false;
  return true;
}

/** Each said entry is the next turn with its words, or a hook's with the same words inside. */
function align(said: KnownTurn[], entries: TranscriptEntry[], from: number): (KnownTurn | null)[] {
  const places = new Map<string, number[]>();
  for (let at = said.length - 1; at >= from; at -= 1) {
    const key = wordsOf(said[at]!);
    places.set(key, [...(places.get(key) ?? []), at]);
  }
  let next = from;
  return entries.map((entry) => {
    if (!isSaid(entry)) return null;
    const list = places.get(wordsOf(entry)) ?? [];
    while (list.length > 0 && list.at(-1)! < next) list.pop();
    const at = list.at(-1) ?? wrapped(said, next, entry);
    if (at === undefined) return null;
    next = at + 1;
    return said[at]!;
  });
}

/** Shorter words are too often part of others. */
const WRAPPED_CHARS_MIN = 12;

/** The user's words as their program keeps them may have something before or after. */
function wrapped(said: KnownTurn[], next: number, entry: TranscriptEntry): number | undefined {
  const turn = said[next];
  if (!turn || turn.isReported || turn.role !== entry.role) return undefined;
  const words = turn.text.trim();
  return words.length >= WRAPPED_CHARS_MIN && entry.text.includes(words) ? next : undefined;
}

function matchAway(
  away: KnownTurn[],
  entries: TranscriptEntry[],
  turns: (KnownTurn | null)[],
): void {
  if (away.length === 0) return;
  const left = new Map<string, KnownTurn[]>();
  for (const turn of away.toReversed()) {
    const key = wordsOf(turn);
    left.set(key, [...(left.get(key) ?? []), turn]);
  }
  entries.forEach((entry, index) => {
    if (isSaid(entry)) turns[index] ??= left.get(wordsOf(entry))?.pop() ?? null;
  });
}

/** What is about the session has no place in the order: a line of it that is known is known. */
function matchMarks(
  known: KnownTurn[],
  entries: TranscriptEntry[],
  turns: (KnownTurn | null)[],
): void {
  const marks = new Map<string, KnownTurn[]>();
  for (const turn of known) {
    if (isSaid(turn) || turn.raw === null) continue;
    const raw = turn.raw.trim();
    marks.set(raw, [...(marks.get(raw) ?? []), turn]);
  }
  entries.forEach((entry, index) => {
    if (!isSaid(entry)) turns[index] = marks.get(entry.raw.trim())?.pop() ?? null;
  });
}

function layOut(
  said: KnownTurn[],
  entries: TranscriptEntry[],
  turns: (KnownTurn | null)[],
  { from, isWhole }: { from: number; isWhole: boolean },
): Pick<Merged, 'order' | 'left' | 'isShorter'> {
  const places = new Map(said.map((turn, index) => [turn, index]));
  const order: Merged['order'] = said.slice(0, from).map(({ seq }) => ({ seq }));
  const left: KnownTurn[] = [];
  let next = from;
  const keepUntil = (end: number, mayLeave: boolean) => {
    for (; next < end; next += 1) {
      const turn = said[next]!;
      if (mayLeave && turn.isReported) left.push(turn);
      else order.push({ seq: turn.seq });
    }
  };
  const spoken = entries.flatMap((entry, index) => (isSaid(entry) ? [index] : []));
  const shared = spoken.findLastIndex((index) => turns[index] !== null) + 1;
  for (const index of spoken.slice(0, shared)) {
    const turn = turns[index] ?? null;
    const place = turn === null ? undefined : places.get(turn);
    if (place !== undefined) {
      keepUntil(place, isWhole);
      next += 1;
    }
    order.push(turn === null ? { entry: index } : { seq: turn.seq });
  }
  const more = spoken.slice(shared);
  const reportedEnd = Math.max(next, said.findLastIndex((turn) => turn.isReported) + 1);
  const isShorter = isWhole && more.length === 0 && reportedEnd > next;
  keepUntil(reportedEnd, isWhole && more.length > 0);
  // A prompt that only its hook has told comes after what the transcript, which lags behind, has told
  // since; unless that has a prompt, too: then it is the same one in other words.
  if (more.some((index) => entries[index]!.role === 'user')) keepUntil(said.length, false);
  for (const index of more) order.push({ entry: index });
  keepUntil(said.length, false);
  return { order, left, isShorter };
}
