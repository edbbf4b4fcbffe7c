/** Secrets with no set length, of whose shape only the whole can tell: each place in a text is looked at once. */
import { seeker, spansOf, type Span } from './found-spans.ts';

/** Of letters, digits, `_` and `-`. */
const wordEnd = /[^\w-]|$/;

/** `sk-…`: a word with a digit soon in it, as `sk-learn` has none. */
export function apiKeys(text: string): Iterable<Span> {
  const ends = seeker(text, wordEnd);
  const digits = seeker(text, /\d/);
  return spansOf(text, /\bsk-/, ({ from, to: body }) => {
    const to = ends(body).from;
    const digit = digits(body).from;
    return to - body >= 16 && digit < to && digit - body <= lookCharsMax ? { from, to } : null;
  });
}

/** `eyJ….….…`, a JWT, and `off_….…`, one of ours. */
export function signedTokens(text: string): Iterable<Span> {
  const ends = [seeker(text, wordEnd), seeker(text, wordEnd), seeker(text, wordEnd)];
  return spansOf(text, /\b(?:eyJ|off_)/, ({ from, to: body }) => {
    const parts = text[from] === 'e' ? jwtParts : ownParts;
    let to = body;
    for (const [at, charsMin] of parts.entries()) {
      if (at > 0 && text[to++] !== '.') return null;
      const end = ends[at]!(to).from;
      if (end - to < charsMin) return null;
      to = end;
    }
    return { from, to };
  });
}

/** How many characters each part has at least: a certificate may stand in the first, and a long path in one of ours. */
const jwtParts = [8, 4, 4] as const;
const ownParts = [16, 16] as const;

/** How far into a word is looked for what makes it a secret. */
const lookCharsMax = 200;

/** Before a quote in JSON that is a text of JSON: one, and at each further level twice as many and one more. */
const escapesMax = 7;
export const escapes = `\\\\{0,${escapesMax}}`;

/** What is said before a value that nobody should read. */
export const secretNames =
  'pass(?:word|wd|phrase)|secret|token|(?:api|access|secret|private)[_-]?key|credentials?';
const named = new RegExp(
  `(?:${secretNames})${escapes}["']?\\s*(?::=|[=:])\\s*${escapes}["']?`,
  'i',
);
/** A path, or a commit's id. */
const harmless =
  /\.{0,2}\/|[0-9a-f]{40}\b|(?:[\w@-]{1,100}\/){1,20}[\w@.-]{0,100}\.[a-z]\w{0,4}\b/iy;

/** The value of what is named as a secret, where it looks like one: no path, and letters with digits. */
export function namedSecrets(text: string): Iterable<Span> {
  const ends = seeker(text, /[\s"',;]|$/);
  const digits = seeker(text, /\d/);
  const letters = seeker(text, /[A-Za-z]/);
  const valueAt = (from: number): Span | null => {
    const end = ends(from).from;
    // A quote that is escaped ends it before its backslashes.
    const to = /["']/.test(text[end] ?? '') ? beforeEscapes(text, end) : end;
    if (to - from < 8) return null;
    const seen = Math.min(end, from + lookCharsMax + 1);
    if (digits(from).from >= seen || letters(from).from >= seen) return null;
    harmless.lastIndex = from;
    return harmless.test(text) ? null : { from, to };
  };
  // Backslashes before a value are not of it, unless it would be too short without.
  return spansOf(text, named, ({ to }) => valueAt(to) ?? valueAt(beforeEscapes(text, to)));
}

function beforeEscapes(text: string, at: number): number {
  let from = at;
  while (at - from < escapesMax && text[from - 1] === '\\') from -= 1;
  return from;
}
