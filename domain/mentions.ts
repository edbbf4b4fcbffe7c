/** How names are found in a text: by whole words, in any case and any script. */

/** Scripts that are written without spaces: there, each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;
const word = /[\p{L}\p{N}\p{M}]+/gu;

export interface Words {
  /** The words in order, parted and framed by single spaces. */
  line: string;
  list: string[];
}

export function wordsOf(text: string): Words {
  const list = isPlain.test(text) ? plainWords(text) : allWords(text);
  return { line: ` ${list.join(' ')} `, list };
}

/** Most texts are ASCII, and found out in a tenth of the time. */
const isPlain = /^[\0-\x7f]*$/;
const plainWords = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

function allWords(text: string): string[] {
  const spaced = text.normalize('NFKC').toLowerCase().replace(unspaced, ' $& ');
  return spaced.match(word) ?? [];
}

/** Where a name stands in a text for the last time; -1: nowhere. Both as `wordsOf` gives them. */
export function lastMention(text: Words, normalized: string): number {
  return text.line.lastIndexOf(` ${normalized} `);
}
