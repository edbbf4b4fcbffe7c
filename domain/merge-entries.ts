/** How what a program's transcript says is laid over the turns that are known already. */
import type { TranscriptEntry } from '../contract/transcript.ts';
import type { TurnRole } from '../contract/words.ts';
import { isCompaction } from './compaction.ts';
import { numbered } from './leading-lengths.ts';
import { isSaid, keysOf } from './said-keys.ts';
import { sharedBy, sharedSequence } from './shared-sequence.ts';
import { placeOf } from './snapshot-place.ts';

export interface KnownTurn {
  seq: number;
  role: TurnRole;
  text: string;
  /** Its line; of what was said it may be empty, and is not looked at. */
  raw: string | null;
  /** A transcript has said it, not only a hook's own field. */
  isReported: boolean;
  /** Its line's own, where an entry of the same words has one. */
  id?: string | null;
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
  /** Whether it begins behind what was reported before: only so many messages, or a file that was begun anew. */
  isPart: boolean;
  /** Whether it ends before what is known does, and has nothing else. */
  isShorter: boolean;
}

/** What of the conversation is known: what came since the last report, its newest turns, or all. */
export type Extent = 'since' | 'tail' | 'all';

export interface Known {
  extent: Extent;
  /** The report before was a part. */
  wasPart: boolean;
  /** In the order in which they are read. */
  turns: KnownTurn[];
  /** Said elsewhere, in branches that were left or out of turn: their words may come back. */
  away: KnownTurn[];
}

/**
 * Of what is known `since` a report, the entries are known to come right behind that report: what else
 * was reported is then no more.
 */
export function mergeEntries(known: Known, entries: TranscriptEntry[]): Merged {
  const said = known.turns.filter(isSaid);
  const keys = keysOf([...said, ...known.away], entries);
  const { from, isWhole } =
    known.extent === 'since'
      ? { from: 0, isWhole: true }
      : placeOf(
          said.map((turn) => ({ key: keys.ofTurn.get(turn)!, isReported: turn.isReported })),
          keys.ofEntry.filter((_, at) => isSaid(entries[at]!)),
          { mayBeWhole: known.extent === 'all', wasPart: known.wasPart },
        );
  const turns = align(said.slice(from), entries, keys);
  const isAfterReports = known.extent !== 'since' && said.some((turn) => turn.isReported);
  const isApart = isAfterReports && entries.some(isSaid) && turns.every((turn) => turn === null);
  const found = new Set(turns);
  // Told out of turn, or another time in another order: a hook's words and a line's id are known wherever they stand.
  const elsewhere = said.filter(
    (turn) => !found.has(turn) && (!turn.isReported || turn.id != null),
  );
  matchAway([...known.away, ...elsewhere], entries, keys, turns);
  // Right behind a report, the same line once more is one more line.
  if (known.extent !== 'since') matchMarks(known.turns, entries, turns);
  matchCompactions(known.turns, entries, turns);
  const mayLag = known.extent === 'since' || turns.some((turn) => turn !== null);
  const laid = layOut(said, entries, turns, { from, isWhole, mayLag });
  const isPart = entries.some(isSaid) ? isAfterReports && !isWhole : known.wasPart;
  return { turns, ...laid, isApart, isPart, isShorter: laid.isShorter && known.extent !== 'since' };
}

type Keys = ReturnType<typeof keysOf<KnownTurn>>;

/**
 * Each said entry is the turn that was reported with its words, or that a hook has told, in the order of both; and
 * only of what is left then, one whose words it has among others.
 */
function align(known: KnownTurn[], entries: TranscriptEntry[], keys: Keys): (KnownTurn | null)[] {
  const turns: (KnownTurn | null)[] = entries.map(() => null);
  const wrapped = createWrapped();
  const match = (isReported: boolean, isWrappedToo: boolean) => {
    const found = new Set(turns);
    const some = known.filter((turn) => turn.isReported === isReported && !found.has(turn));
    if (some.length === 0) return;
    const open = entries.flatMap((entry, at) => (isSaid(entry) && turns[at] === null ? [at] : []));
    const [words, asked] = numbered(
      some.map((turn) => keys.ofTurn.get(turn)!),
      open.map((at) => keys.ofEntry[at]!.key),
    );
    const isSame = (x: number, y: number) =>
      words[x] === asked[y] || wrapped(some[x]!, entries[open[y]!]!);
    const pairs = isWrappedToo
      ? sharedBy(some.length, open.length, isSame)
      : sharedSequence(words, asked);
    for (const [x, y] of pairs) turns[open[y]!] = some[x]!;
  };
  match(true, false);
  match(false, false);
  match(false, true);
  return turns;
}

/** Shorter words are too often part of others. */
const WRAPPED_CHARS_MIN = 12;
/** So much is looked through for a hook's words; a tenth of a second. */
const LOOKED_CHARS_MAX = 100_000_000;
/** What it takes to look at all. */
const LOOK_CHARS = 100;

/** The user's words as their program keeps them may have something before or after. */
function createWrapped() {
  let left = LOOKED_CHARS_MAX;
  return (turn: KnownTurn, entry: TranscriptEntry): boolean => {
    if (turn.role !== entry.role || left < 0) return false;
    const words = turn.text.trim();
    if (words.length < WRAPPED_CHARS_MIN || words.length > entry.text.length) return false;
    left -= LOOK_CHARS + entry.text.length;
    return entry.text.includes(words);
  };
}

function matchAway(
  away: KnownTurn[],
  entries: TranscriptEntry[],
  keys: Keys,
  turns: (KnownTurn | null)[],
): void {
  if (away.length === 0) return;
  const left = new Map<string, KnownTurn[]>();
  for (const turn of away.toReversed()) {
    addTo(left, keys.ofTurn.get(turn)!, turn);
  }
  entries.forEach((entry, index) => {
    if (isSaid(entry)) turns[index] ??= left.get(keys.ofEntry[index]!.key)?.pop() ?? null;
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
    addTo(marks, raw, turn);
  }
  entries.forEach((entry, index) => {
    if (!isSaid(entry)) turns[index] = marks.get(entry.raw.trim())?.pop() ?? null;
  });
}

/** What hooks have told of compactions, in words of their own: the last of them is the last that comes now. */
function matchCompactions(
  known: KnownTurn[],
  entries: TranscriptEntry[],
  turns: (KnownTurn | null)[],
): void {
  const told = known.filter((turn) => turn.raw === null && isCompaction(turn));
  for (let at = entries.length - 1; at >= 0 && told.length > 0; at -= 1) {
    if (turns[at] === null && isCompaction(entries[at]!)) turns[at] = told.pop()!;
  }
}

function addTo(lists: Map<string, KnownTurn[]>, key: string, turn: KnownTurn): void {
  const list = lists.get(key);
  if (list) list.push(turn);
  else lists.set(key, [turn]);
}

function layOut(
  said: KnownTurn[],
  entries: TranscriptEntry[],
  turns: (KnownTurn | null)[],
  { from, isWhole, mayLag }: { from: number; isWhole: boolean; mayLag: boolean },
): Pick<Merged, 'order' | 'left' | 'isShorter'> {
  const places = new Map(said.map((turn, index) => [turn, index]));
  const matched = new Set(turns);
  const order: Merged['order'] = [];
  const left: KnownTurn[] = [];
  let next = 0;
  const keepUntil = (end: number, mayLeave: boolean) => {
    for (; next < end; next += 1) {
      const turn = said[next]!;
      if (matched.has(turn)) continue;
      if (mayLeave && turn.isReported) left.push(turn);
      else order.push({ seq: turn.seq });
    }
  };
  keepUntil(from, false);
  const spoken = entries.flatMap((entry, index) => (isSaid(entry) ? [index] : []));
  const shared = spoken.findLastIndex((index) => turns[index] !== null) + 1;
  // A part that begins with an answer begins behind its prompt; what is told before both stands before it.
  const isAnswerFirst = !isWhole && entries[spoken[0] ?? -1]?.role === 'assistant';
  if (isAnswerFirst && turns[spoken[0]!] === null) {
    keepUntil(
      said.findIndex((turn, place) => place >= from && matched.has(turn)),
      false,
    );
  }
  for (const index of spoken.slice(0, shared)) {
    const turn = turns[index] ?? null;
    const place = turn === null ? undefined : places.get(turn);
    // One that was told out of turn has its place here from now on.
    if (place !== undefined && place >= next) {
      keepUntil(place, isWhole);
      next += 1;
    }
    order.push(turn === null ? { entry: index } : { seq: turn.seq });
  }
  const more = spoken.slice(shared);
  const reportedEnd = Math.max(next, said.findLastIndex((turn) => turn.isReported) + 1);
  const isShorter = isWhole && more.length === 0 && reportedEnd > next;
  keepUntil(reportedEnd, isWhole && more.length > 0);
  // What only hooks have told comes after what a transcript has told since, which lags behind; unless both have
  // a prompt: then it may be the same one in other words. But an answer from before a prompt would stand before it,
  // unless its program has gone back.
  const told = said.slice(next).find((turn) => !matched.has(turn));
  const isAnswered =
    left.length === 0 && told?.role === 'assistant' && entries[more[0] ?? -1]?.role === 'user';
  const isBehind = mayLag && (isAnswered || !more.some((index) => entries[index]!.role === 'user'));
  if (!isBehind) keepUntil(said.length, false);
  for (const index of more) order.push({ entry: index });
  keepUntil(said.length, false);
  return { order, left, isShorter };
}
