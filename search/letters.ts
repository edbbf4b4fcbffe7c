/** Characters by kind: where words begin and end, and the parts within them. */

/** Separator, small letter, capital, digit, letter of a script without spaces, other letter or accent. */
const none = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const dense = 4;
const other = 5;

/** Han, kana and Hangul, with the signs that stand within their words. */
export const denseRun = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc\u3005]+/gu;

/** By UTF-16 code unit, because a look at a table is all that a million texts can afford. */
const kinds = classify();

function classify(): Uint8Array {
  const found = new Uint8Array(65_536);
  const isDense = new RegExp(denseRun.source, 'u');
  for (let unit = 0; unit < found.length; unit += 1) {
    const char = String.fromCharCode(unit);
    if (/\p{N}/u.test(char)) found[unit] = digit;
    else if (isDense.test(char)) found[unit] = dense;
    else if (/\p{Lu}/u.test(char)) found[unit] = upper;
    else if (/\p{Ll}/u.test(char)) found[unit] = lower;
    else if (/[\p{L}\p{M}]/u.test(char)) found[unit] = other;
  }
  return found;
}

/** Beyond the text: a separator. */
const kindAt = (text: string, at: number) => kinds[text.charCodeAt(at)] ?? none;

const isInWord = (text: string, at: number) => kindAt(text, at) !== none;

/** Within a run of Han, kana or Hangul. */
export const isInRun = (text: string, at: number) => kindAt(text, at) === dense;

/** Whether a word or a part of one begins here: `get|User`, `HTTP|Server`, `EX|4300`. */
export function isPartStart(text: string, at: number): boolean {
  const here = kindAt(text, at);
  if (here === none) return false;
  const before = kindAt(text, at - 1);
  if (before === none) return true;
  if (before === other || here === other) return false;
  if (here === upper) {
    return before !== upper || kindAt(text, at + 1) === lower;
  }
  return here === lower && before === upper ? false : here !== before;
}

export function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && isInWord(text, start - 1)) start -= 1;
  return start;
}

export function wordEnd(text: string, at: number): number {
  let end = at;
  while (isInWord(text, end)) end += 1;
  return end;
}

/** Where the part ends that begins here. */
export function partEnd(text: string, at: number): number {
  let end = at + 1;
  while (isInWord(text, end) && !isPartStart(text, end)) end += 1;
  return end;
}

/** `EX4300` as `EX` and `4300`; one part if there is nothing to split. */
export function partsOf(word: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < word.length;) {
    const end = partEnd(word, at);
    parts.push(word.slice(at, end));
    at = end;
  }
  return parts;
}
