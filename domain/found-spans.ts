/** Where in a text something stands: for what a pattern alone would look for at the same places again and again. */

export interface Span {
  from: number;
  /** Right behind it. */
  to: number;
}

const nowhere: Span = { from: Infinity, to: Infinity };

export type Seek = (from: number) => Span;

/**
 * The first match at a place or behind it. Places are asked for in order, so that the text is gone through once,
 * however many ask for what is far away.
 */
export function seeker(text: string, pattern: RegExp): Seek {
  const next = new RegExp(pattern, `${pattern.flags}g`);
  let found: Span = { from: -1, to: -1 };
  return (from) => {
    if (found.from >= from) return found;
    next.lastIndex = from;
    const match = next.exec(text);
    found = match === null ? nowhere : { from: match.index, to: next.lastIndex };
    return found;
  };
}

/** What begins as `start` does and has an end, one behind the other. */
export function* spansOf(
  text: string,
  start: RegExp,
  spanAt: (start: Span) => Span | null,
): Generator<Span> {
  const starts = seeker(text, start);
  for (let found = starts(0); found !== nowhere;) {
    const span = spanAt(found);
    if (span !== null) yield span;
    found = starts(span?.to ?? found.from + 1);
  }
}

/** The text with these words in the place of each. */
export function withoutSpans(text: string, spans: Iterable<Span>, words: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of spans) {
    parts.push(text.slice(at, from), words);
    at = to;
  }
  return parts.join('') + text.slice(at);
}
