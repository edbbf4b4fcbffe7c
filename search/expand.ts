/**
 * What is given to the index for a text: the text itself, in which runs of scripts without spaces are pairs of
 * characters, and after it what its tokenizer would not find in it: parts of `camelCase` and `EX4300`.
 */
import { denseRun, partsOf, wordEnd, wordStart } from './letters.ts';

/** Beyond this a word is a hash or a blob, whose parts nobody asks for. */
const wordCharsMax = 64;
const partsMax = 8;

export function expand(text: string): string {
  const isPlain = /^[\u0000-\u007f]*$/.test(text);
  const plain = isPlain
    ? text
    : text.normalize('NFKC').replace(denseRun, (run) => ` ${runTokens(run, true).join(' ')} `);
  const added = new Set<string>();
  addParts(plain, added);
  return added.size === 0 ? plain : `${plain}\n${[...added].join('\n')}`;
}

function addParts(text: string, added: Set<string>): void {
  // Only where kinds of characters meet is there something to split; most words are not even looked at.
  const seam = /[a-z][A-Z]|[A-Z][A-Z][a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[^\u0000-\u007f]/g;
  for (let found = seam.exec(text); found !== null; found = seam.exec(text)) {
    const start = wordStart(text, found.index);
    const end = Math.max(wordEnd(text, found.index), found.index + 1);
    seam.lastIndex = end;
    if (end - start < 2 || end - start > wordCharsMax) continue;
    const parts = partsOf(text.slice(start, end));
    if (parts.length > 1 && parts.length <= partsMax) added.add(parts.join(' '));
  }
}

/** `漢字列` as `漢字` and `字列`, and `列` alone, by which it has an end: it may be looked for, and nothing goes on behind it. */
export function runTokens(run: string, hasEnd: boolean): string[] {
  const chars = Array.from(run);
  const pairs = chars.slice(1).map((char, at) => chars[at] + char);
  return hasEnd ? [...pairs, chars.at(-1)!] : pairs;
}
