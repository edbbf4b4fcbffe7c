/**
 * English word stems, as FTS5's `porter` makes them: what we count in a text must be what the index has
 * found in it. M. F. Porter's algorithm of 1980, in the order and with the bounds of SQLite.
 */

/** FTS5 stems no word that is shorter or longer than this, in bytes. */
const shortest = 3;
const longest = 64;

/** Of a word in small letters without accents. */
export function stem(word: string): string {
  if (word.length < shortest || word.length > longest || !/^[\u0000-\u007f]+$/.test(word)) {
    return word;
  }
  let found = withoutPlural(word);
  found = withoutPast(found);
  if (found.endsWith('y') && hasVowel(found.slice(0, -1))) found = `${found.slice(0, -1)}i`;
  found = replaceEnd(found, derived, 0);
  found = replaceEnd(found, adjectives, 0);
  found = replaceEnd(found, endings, 1);
  return withoutLastE(found);
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('es')) {
    const isDouble =
      (word.length > 4 && word.endsWith('sses')) || (word.length > 3 && word.endsWith('ies'));
    return word.slice(0, isDouble ? -2 : -1);
  }
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

function withoutPast(word: string): string {
  if (word.length > 3 && word.endsWith('eed')) {
    return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  }
  const cut =
    word.length > 2 && word.endsWith('ed') ? 2 : word.length > 3 && word.endsWith('ing') ? 3 : 0;
  const rest = word.slice(0, word.length - cut);
  if (cut === 0 || !hasVowel(rest)) return word;
  if (/(at|bl|iz)$/.test(rest) && rest.length > 2) return `${rest}e`;
  const last = rest.at(-1)!;
  if (!/[aeiou]/.test(last) && !/[lsz]/.test(last) && last === rest.at(-2))
    return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function withoutLastE(word: string): string {
  let found = word;
  if (found.endsWith('e')) {
    const rest = found.slice(0, -1);
    const m = measure(rest);
    if (m > 1 || (m === 1 && !endsShort(rest))) found = rest;
  }
  return found.length > 1 && found.endsWith('ll') && measure(found.slice(0, -1)) > 1
    ? found.slice(0, -1)
    : found;
}

/** The first that fits decides, whether what stands before it is long enough or not. */
function replaceEnd(word: string, ends: readonly End[], above: number): string {
  const end = ends.find(([from]) => word.length > from.length && word.endsWith(from));
  if (!end) return word;
  const rest = word.slice(0, word.length - end[0].length);
  if (end[0] === 'ion' && !/[st]$/.test(rest)) return word;
  return measure(rest) > above ? rest + end[1] : word;
}

type End = readonly [from: string, to: string];

const derived: readonly End[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const adjectives: readonly End[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const endings: readonly End[] = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent', 'ion', 'ou'],
  ...['ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
].map((from) => [from, ''] as const);

const isVowel = (word: string, at: number): boolean => {
  const char = word[at]!;
  if ('aeiou'.includes(char)) return true;
  return char === 'y' && at > 0 && !isVowel(word, at - 1);
};

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (isVowel(word, at)) return true;
  return false;
}

/** How often a vowel is followed by a consonant. */
function measure(word: string): number {
  let count = 0;
  let wasVowel = false;
  for (let at = 0; at < word.length; at += 1) {
    const vowel = isVowel(word, at);
    if (wasVowel && !vowel) count += 1;
    wasVowel = vowel;
  }
  return count;
}

/** Consonant, vowel, consonant, the last of them not w, x or y. */
function endsShort(word: string): boolean {
  const end = word.length;
  if (end < 3 || /[wxy]$/.test(word)) return false;
  return !isVowel(word, end - 1) && isVowel(word, end - 2) && !isVowel(word, end - 3);
}
