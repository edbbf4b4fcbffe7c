/** Cutting text to size without breaking a character. */
import { oneLine } from './plain-text.ts';

/** A line that begins further down is no title. */
const LOOK_CHARS = 4000;

/** At most `max` characters of the first line that says something. */
export function firstLine(text: string, max: number): string {
  const start = text.length > LOOK_CHARS ? beginningOf(text, LOOK_CHARS) : text;
  const line = start.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return clip(oneLine(line), max);
}

/** At most `max` characters; an ellipsis stands for the rest, and for what stands where a secret was if that is cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${beginningOf(text, max - 1)}…`;
}

function beginningOf(text: string, chars: number): string {
  const cut = beforeCutMark(text.slice(0, chars));
  return isHighSurrogate(cut.at(-1)) ? cut.slice(0, -1) : cut;
}

const markBegins = '[redacted ';

/** Of a text that was cut: without the mark of a secret that is not whole any more. */
export function beforeCutMark(cut: string): string {
  const at = cut.lastIndexOf('[');
  if (at === -1) return cut;
  const end = cut.slice(at);
  const isMark = markBegins.startsWith(end) || (end.startsWith(markBegins) && !end.includes(']'));
  return isMark ? cut.slice(0, at) : cut;
}

export interface HeadAndTail {
  text: string;
  /** Bytes left out between head and tail; 0 if the text is whole. */
  omitted: number;
}

/** The beginning and the end of a text, two thirds and one third of `maxBytes`, parted by a note. */
export function headAndTail(
  text: string,
  maxBytes: number,
  note: (omitted: number) => string,
): HeadAndTail {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, omitted: 0 };
  // Both ends are the whole text here: what is between them is counted twice.
  return bothEnds({ head: text, tail: text, gone: -bytes.length }, maxBytes, note);
}

/** A text whose middle is not here. */
export interface Ends {
  head: string;
  tail: string;
  /** Bytes between them. */
  gone: number;
}

/** The same of a text whose middle is gone already: the note stands there, however short the ends are. */
export function bothEnds(
  { head, tail, gone }: Ends,
  maxBytes: number,
  note: (omitted: number) => string,
): HeadAndTail {
  const [first, last] = [Buffer.from(head), Buffer.from(tail)];
  const headMax = Math.max(Math.floor((maxBytes * 2) / 3), maxBytes - last.length);
  const headEnd = backToCharacter(first, Math.min(first.length, headMax));
  const tailStart = forwardToCharacter(last, Math.max(0, last.length - (maxBytes - headEnd)));
  const omitted = gone + first.length - headEnd + tailStart;
  return {
    text: `${first.toString('utf8', 0, headEnd)}${note(omitted)}${last.toString('utf8', tailStart)}`,
    omitted,
  };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
const isHighSurrogate = (char: string | undefined) =>
  char !== undefined && /[\uD800-\uDBFF]/.test(char);

function backToCharacter(bytes: Buffer, at: number): number {
  let position = at;
  while (position > 0 && isContinuation(bytes[position])) position -= 1;
  return position;
}

function forwardToCharacter(bytes: Buffer, at: number): number {
  let position = at;
  while (isContinuation(bytes[position])) position += 1;
  return position;
}
