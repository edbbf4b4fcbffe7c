/** One thing that is looked for, with its expression for FTS5. Of a caller's text it has letters and digits, in quotes. */
import { fold } from './fold.ts';
import { denseRun } from './letters.ts';
import { runTokens } from './expand.ts';
import { stem } from './stem.ts';

export interface Word {
  folded: string;
  stem: string;
  /** `dense`: a part of a run without spaces; `beginning`: a star stands behind it. */
  kind: 'word' | 'beginning' | 'dense';
}

export interface Term {
  /** Of FTS5, over the whole row. */
  match: string;
  /** What fits for sure, where `match` fits more: then a look at the text decides. Null where nothing does. */
  sure: string | null;
  /** Words that have to follow each other, as they are counted in a text: in one of these ways, the first that is there. */
  forms: Word[][];
  /** A part of another term counts for less than the term. */
  weight: number;
  /** Helps in ranking; nothing is found by it alone. */
  isSoft: boolean;
  isStopWord?: boolean;
}

export const isSure = ({ match, sure }: Term) => match === sure;

/** Shorter beginnings fit a good part of all words there are. */
const beginningCharsMin = 3;
/** Stems of what begins so: the algorithm takes away no more letters than these. */
const shorterMax = 6;

export const isDense = (piece: string) => piece.search(denseRun) >= 0;

const runs = new RegExp(`(${denseRun.source})`, 'u');
/** `API接口` as `API` and `接口`. */
export const piecesOf = (word: string) => word.split(runs).filter((piece) => piece !== '');

/** Words that follow each other; where a star stands behind the last one, it is what that begins with. */
export function phrase(words: readonly string[], hasStar = false): Term {
  const pieces = words.flatMap(piecesOf);
  const last = pieces.at(-1)!;
  const isShort = last.length < beginningCharsMin;
  // Of a run any part is found anyway.
  const isBeginning = hasStar && !isDense(last) && (!isShort || pieces.length > 1);
  const form = pieces.map((piece, at) => wordOf(piece, isBeginning && at === pieces.length - 1));
  const term = { forms: [form], weight: 1, isSoft: false };
  if (!isBeginning) {
    // A single one of them stands at its run's end, or begins a pair.
    const isHalf = isDense(last) && Array.from(last).length === 1;
    const match = isHalf ? inText(tokensOf(pieces), ' *') : inText(tokensOf(pieces, false));
    return { ...term, match, sure: match };
  }
  const lead = tokensOf(pieces.slice(0, -1));
  const beginning = form.at(-1)!.folded;
  const kept = asItIs(beginning);
  if (kept === null && lead.length > 0) return { ...term, match: inText(lead), sure: null };
  const begun = kept === null ? followers.split('').map((next) => beginning + next) : [kept];
  const begins = begun.map((start) => inText([...lead, start], ' *'));
  const isKept = kept === beginning;
  const others = isKept ? shorter(beginning) : [beginning, ...shorter(beginning)];
  const match = anyOf([...begins, ...others.map((word) => inText([...lead, word]))]);
  return { ...term, match, sure: isKept ? begins[0]! : null };
}

/** What may stand behind `key`, which FTS5 takes for another word: it has no part that could be looked for instead. */
const followers = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The longest part of a beginning that FTS5 stems to itself: what `query` is for it, `queryString` does not begin with. */
function asItIs(beginning: string): string | null {
  for (let end = beginning.length; end >= beginningCharsMin; end -= 1) {
    const part = beginning.slice(0, end);
    if (stem(part) === part) return part;
  }
  return null;
}

/** The index holds stems: what begins like this may stand there as something shorter. */
function shorter(beginning: string): string[] {
  const least = Math.max(beginningCharsMin, beginning.length - shorterMax);
  const found: string[] = [];
  for (let end = beginning.length - 1; end >= least; end -= 1) found.push(beginning.slice(0, end));
  return found;
}

/** In one of two ways, the first of which is counted where both are there. */
export const either = (one: Term, other: Term): Term => ({
  ...one,
  match: anyOf([one.match, other.match]),
  sure: one.sure && other.sure ? anyOf([one.sure, other.sure]) : (one.sure ?? other.sure),
  forms: [...one.forms, ...other.forms],
});

/** As the index has them; the last run may go on, unless it is said to end. */
const tokensOf = (pieces: readonly string[], hasEnd = true) =>
  pieces.flatMap((piece, at) =>
    isDense(piece) ? runTokens(piece, hasEnd || at < pieces.length - 1) : [piece],
  );

const anyOf = (matches: string[]) =>
  matches.length === 1 ? matches[0]! : `(${matches.join(' OR ')})`;

const inText = (tokens: readonly string[], star = '') => `text : "${tokens.join(' ')}"${star}`;

function wordOf(piece: string, isBeginning: boolean): Word {
  const folded = fold(piece);
  const kind = isBeginning ? 'beginning' : isDense(piece) ? 'dense' : 'word';
  return { folded, stem: stem(folded), kind };
}
