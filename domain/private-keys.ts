/** Private keys as PEM has them: whole, cut off at their end, or with their beginning cut off. */
import { seeker, type Span } from './found-spans.ts';

const name = '[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?';
// Two may share their dashes.
const beginning = new RegExp(`-----BEGIN ${name}(?=-----)`);
const ending = new RegExp(`-----END ${name}(?=-----)`);
const dashes = '-----'.length;

/** Between the two lines of the longest; an end that is farther away is another's. */
const bodyCharsMax = 8000;

/** One line of a key that has no end, its end of line before it, also as JSON has that, and further in, as YAML has it. */
const bodyLine =
  /(?:\r?\n|\\{1,7}[nr])[ \t]*(?:[A-Za-z0-9+/=]*|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]*)(?=\r?\n|\\{1,7}[nr]|$)/y;
const linesMax = 1000;

/** Lines of a key whose beginning is gone, looked for backwards from its end; the last of them may be a short one. */
const linesBackMax = 100;
const lineCharsMin = 16;
const lineCharsMax = 100;

export function* privateKeys(text: string): Generator<Span> {
  const begins = seeker(text, beginning);
  const ends = seeker(text, ending);
  for (let at = 0; ;) {
    const begin = begins(at);
    const end = ends(at);
    const first = begin.from < end.from ? begin : end;
    if (first.to === Infinity) return;
    const span = first === end ? endedKey(text, end, at) : begunKey(text, begin, ends);
    if (span !== null) yield span;
    at = span?.to ?? first.from + 1;
  }
}

function begunKey(text: string, begin: Span, ends: (from: number) => Span): Span {
  const body = begin.to + dashes;
  const end = ends(body);
  const to = end.from - body <= bodyCharsMax ? end.to + dashes : endOfLines(text, body);
  return { from: begin.from, to };
}

function endOfLines(text: string, from: number): number {
  bodyLine.lastIndex = from;
  let to = from;
  for (let count = 0; count < linesMax && bodyLine.test(text); count += 1) to = bodyLine.lastIndex;
  return to;
}

/** Only where its end is a line of its own. */
function endedKey(text: string, end: Span, min: number): Span | null {
  let from = lineStart(text, end.from);
  if (from === null) return null;
  for (let count = 0; count <= linesBackMax; count += 1) {
    const before = lineBefore(text, from, min, count === 0 ? 1 : lineCharsMin);
    if (before === null) break;
    from = before;
  }
  return { from, to: end.to + dashes };
}

/** Where the line of a key that ends right before `to` begins, unless it is none. */
function lineBefore(text: string, to: number, min: number, charsMin: number): number | null {
  if (text[to - 1] !== '\n') return null;
  let end = text[to - 2] === '\r' ? to - 2 : to - 1;
  while (isSpace(text[end - 1])) end -= 1;
  let word = end;
  while (end - word <= lineCharsMax && isKeyChar(text.charCodeAt(word - 1))) word -= 1;
  const length = end - word;
  const from = lineStart(text, word);
  const isLine = length >= charsMin && length <= lineCharsMax && from !== null;
  return isLine && from >= min ? from : null;
}

/** Where the line begins that has no more than spaces before `at`; a line as `^` of a pattern takes it. */
function lineStart(text: string, at: number): number | null {
  let from = at;
  while (at - from <= lineCharsMax && isSpace(text[from - 1])) from -= 1;
  return from === 0 || /[\n\r\u2028\u2029]/.test(text[from - 1]!) ? from : null;
}

const isSpace = (char: string | undefined) => char === ' ' || char === '\t';

/** A letter, a digit, `+`, `/` or `=`. */
function isKeyChar(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2f && code <= 0x39) ||
    code === 0x2b ||
    code === 0x3d
  );
}
