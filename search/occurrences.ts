/** Where a term stands in a text: the same words that the index has found there, one by one. */
import { isInWord, isPartStart, partEnd, wordEnd } from './letters.ts';
import type { Term } from './query.ts';
import { stem } from './stem.ts';

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
  const first = term.words[0]!;
  const needle = term.kind === 'words' ? beginOf(first.stem) : first.folded;
  const spans: Span[] = [];
  let at = searched.folded.indexOf(needle);
  while (at >= 0 && spans.length < spansMax) {
    const end = matchAt(searched, term, stems, at);
    if (end !== null) spans.push({ start: at, end });
    at = searched.folded.indexOf(needle, end ?? at + 1);
  }
  return spans;
}

/** What all words with this stem begin with: the algorithm changes at most its last letter. */
export const beginOf = (stemmed: string) => (stemmed.length > 2 ? stemmed.slice(0, -1) : stemmed);

function matchAt({ text, folded }: Searched, term: Term, stems: Stems, at: number): number | null {
  if (term.kind === 'dense') return at + term.words[0]!.folded.length;
  if (!isPartStart(text, at)) return null;
  if (term.kind === 'prefix') return isInWord(text, at - 1) ? null : wordEnd(text, at);
  let end = at;
  for (const [index, word] of term.words.entries()) {
    const start = index === 0 ? at : nextWord(text, end);
    if (start === null) return null;
    const found = [wordEnd(text, start), partEnd(text, start)].find(
      (stop) => stems.of(folded.slice(start, stop)) === word.stem,
    );
    if (found === undefined) return null;
    end = found;
  }
  return end;
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
