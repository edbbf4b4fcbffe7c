/** How names are found in a text: by whole words, in any case and any script. */

/** Scripts that are written without spaces: there, each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;
/** With an end: of such a class millions in a row overflow the stack of the expression. */
const anyWord = /[\p{L}\p{N}\p{M}]{1,1000}/gu;

/** The words of a text in order, as they are compared. */
export function wordsOf(text: string): string[] {
  // Made small first: some capitals that are not plain have a small letter that is.
  const line = text.toLowerCase();
  return isPlain(line) ? (line.match(/[a-z0-9]+/g) ?? []) : allWords(text);
}

/** Most texts are ASCII, or but for dashes and quotes, which part words as a space does: found out in a tenth of the time. */
const isPlain = (text: string) => !/[^\0-\x7f\u2010-\u2016\u2018-\u2027]/.test(text);

/** What a character of a line is, by its code: in a line as it is compared there are no capitals any more. */
type Kinds = Uint8Array;
const [apart, inWord, notPlain] = [0, 1, 2];
const kindsOf = (other: number): Kinds =>
  Uint8Array.from({ length: 2 ** 16 }, (_, code) => {
    const char = String.fromCharCode(code);
    if (!isPlain(char)) return other;
    return /[a-z0-9]/.test(char) ? inWord : apart;
  });
const inPlainText = kindsOf(notPlain);
/** Words of what is not plain stand between spaces: `allWords` has seen to that. */
const betweenSpaces = kindsOf(inWord);

function allWords(text: string): string[] {
  const spaced = text.normalize('NFKC').toLowerCase().replace(unspaced, ' $& ');
  return spaced.match(anyWord) ?? [];
}

/** Words that are looked for in texts. */
export interface WordFilter {
  /** Where they stand in a line as it is compared, in order; null where it turns out not to be plain. */
  findIn(line: string, kinds: Kinds): Found[] | null;
}

interface Found {
  word: string;
  start: number;
}

/** So many that hardly any other word shares one with a word that is looked for. */
const slots = 16_384;

export const everyWord: WordFilter = createFilter(new Uint8Array(slots).fill(1), () => true);

export function createWordFilter(words: Iterable<string>): WordFilter {
  const all = new Set(words);
  const isTaken = new Uint8Array(slots);
  for (const word of all) {
    lay(word);
    isTaken[slotOf(laid, 0, word.length)] = 1;
  }
  return createFilter(isTaken, (word) => all.has(word));
}

/** Most words are told to be none of those by their slot, without being cut out. */
function createFilter(isTaken: Uint8Array, isWanted: (word: string) => boolean): WordFilter {
  return {
    findIn(line, kinds) {
      lay(line);
      const count = findEdges(Math.min(line.length, unitsMax), kinds);
      if (count === null) return null;
      const found: Found[] = [];
      for (let at = 0, end = keepTaken(count, isTaken); at < end; at += 2) {
        const start = edges[at]!;
        const word = line.slice(start, edges[at + 1]);
        if (isWanted(word)) found.push({ word, start });
      }
      return found;
    },
  };
}

/*
 * A line is laid out as numbers, which are read in half the time that its characters take, in room that is used again: what is
 * new is far from the processor. What follows takes no branch: words are so short that a processor that guesses at their
 * ends, and guesses wrong, takes longer than for all else. And it has the room by names of its own, which are constants then.
 */

/** No text that is looked at is as long; of one that were, the beginning is. */
const unitsMax = 2 ** 17;
const bytes = Buffer.alloc(unitsMax * Uint16Array.BYTES_PER_ELEMENT);
const laid = new Uint16Array(bytes.buffer, bytes.byteOffset, unitsMax);
/** Where each word begins and ends, in turns. */
const edges = new Uint32Array(unitsMax + 2);

const lay = (line: string) => void bytes.write(line, 'utf16le');

/** How many edges there are; null where the line is not plain. */
function findEdges(length: number, kinds: Kinds): number | null {
  const units = laid;
  const found = edges;
  let count = 0;
  let before = 0;
  let seen = 0;
  for (let at = 0; at < length; at += 1) {
    const kind = kinds[units[at]!]!;
    found[count] = at;
    count += (kind ^ before) & 1;
    before = kind;
    seen |= kind;
  }
  if (seen >= notPlain) return null;
  if (before === inWord) found[count++] = length;
  return count;
}

/** Leaves the edges of words whose slot is taken; answers how many. */
function keepTaken(count: number, isTaken: Uint8Array): number {
  const units = laid;
  const found = edges;
  let kept = 0;
  for (let at = 0; at < count; at += 2) {
    const start = found[at]!;
    const end = found[at + 1]!;
    found[kept] = start;
    found[kept + 1] = end;
    kept += isTaken[slotOf(units, start, end)]! << 1;
  }
  return kept;
}

/** By its first two characters, its last, and its length. */
function slotOf(units: Uint16Array, start: number, end: number): number {
  const second = start + 1 < end ? start + 1 : start;
  const sum = units[start]! * 961 + units[second]! * 31 + units[end - 1]!;
  return (sum + (end - start) * 1217) & (slots - 1);
}

interface Place {
  line: number;
  start: number;
}

export interface Said {
  lines: readonly string[];
  /** Where each word stands that is looked for, in order. */
  places: ReadonlyMap<string, readonly Place[]>;
}

/** What texts say one after the other. Each is told apart by itself whether it is plain. */
export function saidIn(texts: readonly string[], wanted: WordFilter): Said {
  const lines: string[] = [];
  const places = new Map<string, Place[]>();
  for (const text of texts) {
    const { line, found } = lookIn(text, wanted);
    for (const { word, start } of found) {
      const place = { line: lines.length, start };
      const known = places.get(word);
      if (known) known.push(place);
      else places.set(word, [place]);
    }
    lines.push(line);
  }
  return { lines, places };
}

function lookIn(text: string, wanted: WordFilter): { line: string; found: Found[] } {
  const plain = text.toLowerCase();
  const found = wanted.findIn(plain, inPlainText);
  if (found !== null) return { line: plain, found };
  const line = allWords(text).join(' ');
  return { line, found: wanted.findIn(line, betweenSpaces)! };
}

/** Where a name stands for the last time, as a number that grows from text to text; -1: nowhere. */
export function lastMention({ lines, places }: Said, name: readonly string[]): number {
  const isHere = ({ line, start }: Place) => stands(lines[line]!, start, name);
  const last = places.get(name[0] ?? '')?.findLast(isHere);
  return last === undefined ? -1 : placeIn(last.line, last.start);
}

export const placeIn = (line: number, start: number): number => line * 2 ** 32 + start;

function stands(line: string, from: number, name: readonly string[]): boolean {
  let at = from;
  for (const word of name) {
    const end = wordEnd(line, at);
    if (end - at !== word.length || !line.startsWith(word, at)) return false;
    at = nextWord(line, end);
  }
  return true;
}

function nextWord(line: string, from: number): number {
  let at = from;
  while (at < line.length && betweenSpaces[line.charCodeAt(at)] === apart) at += 1;
  return at;
}

function wordEnd(line: string, from: number): number {
  let at = from;
  while (at < line.length && betweenSpaces[line.charCodeAt(at)] === inWord) at += 1;
  return at;
}
