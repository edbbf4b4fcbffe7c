/** The piece of a turn that shows why it was found: around the rarest words, not the first ones. */
import { limits } from '../contract/limits.ts';
import type { Span } from './occurrences.ts';

const charsMax = 320;
/** An end is moved to a space where there is one so near. */
const toSpaceMax = 24;

export interface Excerpt {
  text: string;
  /** Words within it, by their place in the whole text. */
  offsets: Span[];
}

/** `weights` by term: a window is worth what the different terms in it are worth. */
export function cutExcerpt(text: string, spans: Span[][], weights: readonly number[]): Excerpt {
  const marks = spans
    .flatMap((found, term) => found.map((span) => ({ ...span, term })))
    .toSorted((a, b) => a.start - b.start);
  const { from, to } = bestWindow(marks, weights);
  const room = Math.max(0, charsMax - (to - from));
  let start = Math.max(0, Math.min(from - Math.floor(room / 2), text.length - charsMax));
  let end = Math.min(text.length, start + charsMax);
  start = start === 0 ? 0 : afterSpace(text, start, Math.min(from, start + toSpaceMax));
  end = end === text.length ? end : beforeSpace(text, end, Math.max(to, end - toSpaceMax));
  const piece = text.slice(start, end);
  const within = marks.filter((mark) => mark.start >= start && mark.end <= end);
  const offsets = mostTelling(within, weights);
  return { text: `${start > 0 ? '…' : ''}${piece}${end < text.length ? '…' : ''}`, offsets };
}

/** Where there are too many, those of the rarest words; of two in the same place, one. */
function mostTelling(marks: Mark[], weights: readonly number[]): Span[] {
  return marks
    .toSorted((a, b) => weights[b.term]! - weights[a.term]!)
    .filter((one, at, all) =>
      all.slice(0, at).every((other) => one.start >= other.end || one.end <= other.start),
    )
    .slice(0, limits.searchOffsetsMax)
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => ({ start, end }));
}

interface Mark extends Span {
  term: number;
}

function bestWindow(marks: Mark[], weights: readonly number[]): { from: number; to: number } {
  let best = { from: 0, to: 0, worth: -1 };
  for (const [at, first] of marks.entries()) {
    const seen = new Set<number>();
    let worth = 0;
    let to = first.end;
    for (let next = at; next < marks.length; next += 1) {
      const mark = marks[next]!;
      if (mark.end - first.start > charsMax) break;
      if (seen.has(mark.term)) continue;
      seen.add(mark.term);
      worth += weights[mark.term]!;
      to = Math.max(to, mark.end);
    }
    if (worth > best.worth) best = { from: first.start, to, worth };
  }
  return best;
}

/** The first place from which a word begins, else the first that does not part a character. */
function afterSpace(text: string, from: number, last: number): number {
  for (let at = from; at < last; at += 1) if (/\s/.test(text[at]!)) return at + 1;
  return wholeCharacter(text, from, 1);
}

function beforeSpace(text: string, from: number, first: number): number {
  for (let at = from; at > first; at -= 1) if (/\s/.test(text[at]!)) return at;
  return wholeCharacter(text, from, -1);
}

/** Neither between the halves of a character nor before an accent, a joiner or what is joined. */
function wholeCharacter(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (at > 0 && at < text.length && isWithin(text, at)) at += step;
  return at;
}

function isWithin(text: string, at: number): boolean {
  const isSecondHalf = text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff;
  return isSecondHalf || /[\p{M}\u200d]/u.test(text[at]!) || text[at - 1] === '\u200d';
}
