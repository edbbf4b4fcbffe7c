/** How names are found in a text: by whole words, in any case and any script. */

/** Scripts that are written without spaces: there, each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;
const anyWord = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text in order, as they are compared. */
export function wordsOf(text: string): string[] {
  return isPlain.test(text) ? plainWords(text) : allWords(text);
}

/** Most texts are ASCII, and found out in a tenth of the time. */
const isPlain = /^[\0-\x7f]*$/;
const plainWords = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

function allWords(text: string): string[] {
  const spaced = text.normalize('NFKC').toLowerCase().replace(unspaced, ' $& ');
  return spaced.match(anyWord) ?? [];
}

export interface Said {
  words: readonly string[];
  /** Where each word stands that a name may begin with. */
  places: ReadonlyMap<string, readonly number[]>;
}

/** What texts say one after the other. Each is told apart by itself whether it is plain. */
export function saidIn(texts: readonly string[], mayBegin: (word: string) => boolean): Said {
  const words = texts.flatMap(wordsOf);
  const places = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    if (!mayBegin(word)) continue;
    const known = places.get(word);
    if (known) known.push(at);
    else places.set(word, [at]);
  }
  return { words, places };
}

/** Which word a name begins with where it stands for the last time; -1: nowhere. */
export function lastMention({ words, places }: Said, name: readonly string[]): number {
  const isHere = (at: number) => name.every((word, index) => words[at + index] === word);
  return places.get(name[0] ?? '')?.findLast(isHere) ?? -1;
}
