/** How names are found in a text: by whole words, in any case and any script. */

/** Scripts that are written without spaces: there, each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;
/** With an end: of such a class millions in a row overflow the stack of the expression. */
const anyWord = /[\p{L}\p{N}\p{M}]{1,1000}/gu;

/** The words of a text in order, as they are compared. */
export function wordsOf(text: string): string[] {
  return isPlain.test(text) ? plainWords(text) : allWords(text);
}

/** Most texts are ASCII, or but for dashes and quotes, which part words as a space does: found out in a tenth of the time. */
const isPlain = /^[\0-\x7f\u2010-\u2016\u2018-\u2027]*$/;
/** In lines as they are compared there are no capitals, and what is not plain stands between spaces. */
const isInWord = Uint8Array.from({ length: 2 ** 16 }, (_, code) =>
  code > 0x7f || /[a-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const plainWords = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

function allWords(text: string): string[] {
  const spaced = text.normalize('NFKC').toLowerCase().replace(unspaced, ' $& ');
  return spaced.match(anyWord) ?? [];
}

/** Words that are looked for in a text. Most of its words are told to be none of them without being cut out. */
export interface WordFilter {
  mayHold(line: string, start: number, end: number): boolean;
  has(word: string): boolean;
}

export const everyWord: WordFilter = { mayHold: () => true, has: () => true };

const slots = 4096;

export function createWordFilter(words: Iterable<string>): WordFilter {
  const all = new Set(words);
  const isTaken = new Uint8Array(slots);
  for (const word of all) isTaken[slotOf(word, 0, word.length)] = 1;
  return {
    mayHold: (line, start, end) => isTaken[slotOf(line, start, end)] === 1,
    has: (word) => all.has(word),
  };
}

/** By its first two characters, its last, and its length. */
function slotOf(line: string, start: number, end: number): number {
  const second = Math.min(start + 1, end - 1);
  const sum =
    line.charCodeAt(start) * 961 + line.charCodeAt(second) * 31 + line.charCodeAt(end - 1);
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

function asCompared(text: string): string {
  // It is ASCII: then each character is one byte, which is counted faster than looked at.
  if (Buffer.byteLength(text) === text.length) return text.toLowerCase();
  if (isPlain.test(text)) return text.toLowerCase().replace(/[^\0-\x7f]/g, ' ');
  return allWords(text).join(' ');
}

/** What texts say one after the other. Each is told apart by itself whether it is plain. */
export function saidIn(texts: readonly string[], wanted: WordFilter): Said {
  const lines = texts.map(asCompared);
  const places = new Map<string, Place[]>();
  for (const [line, text] of lines.entries()) {
    for (let start = nextWord(text, 0); start < text.length;) {
      const end = wordEnd(text, start);
      if (wanted.mayHold(text, start, end)) {
        const word = text.slice(start, end);
        if (wanted.has(word)) {
          const known = places.get(word);
          if (known) known.push({ line, start });
          else places.set(word, [{ line, start }]);
        }
      }
      start = nextWord(text, end);
    }
  }
  return { lines, places };
}

/** Where a name stands for the last time, as a number that grows from text to text; -1: nowhere. */
export function lastMention({ lines, places }: Said, name: readonly string[]): number {
  const isHere = ({ line, start }: Place) => stands(lines[line]!, start, name);
  const last = places.get(name[0] ?? '')?.findLast(isHere);
  return last === undefined ? -1 : last.line * 2 ** 32 + last.start;
}

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
  while (at < line.length && isInWord[line.charCodeAt(at)] === 0) at += 1;
  return at;
}

function wordEnd(line: string, from: number): number {
  let at = from;
  while (at < line.length && isInWord[line.charCodeAt(at)] === 1) at += 1;
  return at;
}
