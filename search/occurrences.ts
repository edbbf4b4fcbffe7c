/** Where a term stands in a text: the same words that the index has found there, one by one. */
import { fold } from './fold.ts';
import { isInRun, isPartStart, partEnd, wordEnd } from './letters.ts';
import { stem } from './stem.ts';
import type { Term, Word } from './term.ts';

export interface Span {
  start: number;
  end: number;
}

/** A text and the same text folded, which is as long. */
export interface Searched {
  text: string;
  folded: string;
}

/** More occurrences than this do not make a text fit any better. */
const spansMax = 30;
/** Between two words of a phrase: `foo/bar`, `a -> b`. */
const gapMax = 8;

export function occurrences(searched: Searched, term: Term, stems: Stems): Span[] {
  for (const form of term.forms) {
    const spans = placesOf(searched, form, stems);
    if (spans.length > 0) return spans;
  }
  return [];
}

/** Of each term. */
export function spansIn(text: string, terms: readonly Term[], stems: Stems): Span[][] {
  const searched = { text, folded: fold(text) };
  return terms.map((term) => occurrences(searched, term, stems));
}

/** The index has a text in normal form, where its words may be others than those that we see. */
export function isSaid(text: string, term: Term, stems: Stems): boolean {
  const normal = text.normalize('NFKC');
  return [...new Set([text, normal])].some(
    (one) => occurrences({ text: one, folded: fold(one) }, term, stems).length > 0,
  );
}

function placesOf(searched: Searched, form: readonly Word[], stems: Stems): Span[] {
  const first = form[0]!;
  const needle = first.kind === 'word' ? beginOf(first.stem) : first.folded;
  const spans: Span[] = [];
  let at = searched.folded.indexOf(needle);
  while (at >= 0 && spans.length < spansMax) {
    const end = matchAt(searched, form, stems, at);
    if (end !== null) spans.push({ start: at, end });
    at = searched.folded.indexOf(needle, end ?? at + 1);
  }
  return spans;
}

/** What all words with this stem begin with: the algorithm changes at most its last letter. */
export const beginOf = (stemmed: string) => (stemmed.length > 2 ? stemmed.slice(0, -1) : stemmed);

function matchAt(searched: Searched, form: readonly Word[], stems: Stems, at: number) {
  if (form[0]!.kind !== 'dense' && !isPartStart(searched.text, at)) return null;
  let end: number | null = at;
  for (const [index, word] of form.entries()) {
    const start: number | null = index === 0 ? at : nextWord(searched.text, end);
    if (start === null) return null;
    end = endOf(searched, word, stems, start);
    if (end === null) return null;
    // What follows a run in a phrase follows its end.
    const isLast = index === form.length - 1;
    if (word.kind === 'dense' && !isLast && isInRun(searched.text, end)) return null;
  }
  return end;
}

/** Where this word ends, if it is the one that begins here. */
function endOf({ text, folded }: Searched, word: Word, stems: Stems, start: number): number | null {
  if (word.kind === 'dense') {
    return folded.startsWith(word.folded, start) ? start + word.folded.length : null;
  }
  if (word.kind === 'beginning') {
    return folded.startsWith(word.folded, start) ? wordEnd(text, start) : null;
  }
  const ends = [wordEnd(text, start), partEnd(text, start)];
  return ends.find((end) => stems.of(folded.slice(start, end)) === word.stem) ?? null;
}

function nextWord(text: string, from: number): number | null {
  for (let at = from; at <= from + gapMax; at += 1) if (isPartStart(text, at)) return at;
  return null;
}

/** Stems that were asked for before: the same words come again and again. */
export interface Stems {
  of(word: string): string;
}

const stemsMax = 50_000;

export function createStems(): Stems {
  const known = new Map<string, string>();
  return {
    of(word) {
      const before = known.get(word);
      if (before !== undefined) return before;
      if (known.size > stemsMax) known.clear();
      const found = stem(word);
      known.set(word, found);
      return found;
    },
  };
}
