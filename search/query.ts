/** What a query asks for, term by term. Phrases, `-` and `*` are read here; no text of the caller's is FTS5's syntax. */
import { limits } from '../contract/limits.ts';
import { dateTokens } from './dates.ts';
import { runTokens } from './expand.ts';
import { partsOf } from './letters.ts';
import { stopWords } from './stop-words.ts';
import { either, isDense, isSure, phrase, piecesOf, type Term } from './term.ts';

export interface Query {
  terms: Term[];
  /** What must not be there. */
  without: Term[];
}

/** Which terms a turn was found by is kept in the bits of a number. */
const termsMax = 31;
const partWeight = 0.3;
const stopWeight = 0.1;
/** A longer run than this is more than a word. */
const questionPairsMin = 4;

export function parseQuery(text: string): Query {
  const query: Query = { terms: [], without: [] };
  let left: number = limits.queryWordsMax;
  for (const token of tokensOf(text.normalize('NFKC'))) {
    if (left === 0) break;
    const all = wordsIn(token.text);
    const words = all.slice(0, left);
    left -= words.length;
    const isCut = words.length < all.length;
    // Half a phrase stands in more turns than are to be left out.
    if (words.length === 0 || (isCut && token.isWithout)) continue;
    const hasStar = token.hasStar && !isCut;
    const whole = token.isPhrase ? phrase(words, hasStar) : wholeOf(words, hasStar);
    if (token.isWithout) query.without.push(whole);
    else if (token.isPhrase) query.terms.push(whole);
    else query.terms.push(...termsOf(words, hasStar));
  }
  const terms = withSomeHard(unique(query.terms)).toSorted((a, b) => +a.isSoft - +b.isSoft);
  return { terms: terms.slice(0, termsMax), without: query.without };
}

interface Token {
  text: string;
  isPhrase: boolean;
  isWithout: boolean;
  /** Behind its last word. */
  hasStar: boolean;
}

/** Phrases in quotes, and what stands between spaces and brackets; a quote without its end goes to the end. */
function* tokensOf(text: string): Generator<Token> {
  const pattern = /(-?)["“”]([^"“”]*)(?:["“”](\*?)|$)|([^\s"“”,;()[\]{}<>|…]+)/gu;
  for (const [, minus, quoted, star, bare] of text.matchAll(pattern)) {
    if (quoted !== undefined) {
      const hasStar = star === '*' || endsInStar(quoted);
      yield { text: quoted, isPhrase: true, isWithout: minus === '-', hasStar };
    } else if (bare !== undefined) {
      const isWithout = /^-[\p{L}\p{N}]/u.test(bare);
      const word = bare.replace(/['’]s$/u, '');
      yield { text: word, isPhrase: false, isWithout, hasStar: endsInStar(word) };
    }
  }
}

const endsInStar = (text: string) => /\*[^\p{L}\p{N}\p{M}*]*$/u.test(text);

const wordsIn = (text: string) =>
  (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) =>
    Array.from(word).slice(0, limits.queryWordCharsMax).join(''),
  );

/** `case_name`, `foo/bar.ts` and `getUser` are one term; their parts help where it is not found. */
function termsOf(words: string[], hasStar: boolean): Term[] {
  const pieces = words.flatMap(piecesOf);
  if (pieces.some(isDense)) {
    return pieces.flatMap((piece, at) =>
      isDense(piece) ? denseTerms(piece) : termsOf([piece], hasStar && at === pieces.length - 1),
    );
  }
  const parts = words.flatMap(partsOf);
  const whole = wholeOf(words, hasStar);
  if (parts.length === 1) return [isSure(whole) ? asked(whole) : whole];
  const soft = (hasStar ? parts.slice(0, -1) : parts)
    .filter((part) => part.length > 1 && !stopWords.has(part.toLowerCase()))
    .map((part) => ({ ...phrase([part]), weight: partWeight, isSoft: true }));
  return [whole, ...soft];
}

/** A question without spaces is hardly ever said again as a whole: what it is made of is looked for, too. */
function denseTerms(run: string): Term[] {
  const pairs = runTokens(run, false);
  if (pairs.length < questionPairsMin) return [phrase([run])];
  return [phrase([run]), ...pairs.map((pair) => ({ ...phrase([pair]), weight: partWeight }))];
}

/** As it is written, or with its parts apart. */
function wholeOf(words: string[], hasStar: boolean): Term {
  const whole = phrase(words, hasStar);
  const pieces = words.flatMap(piecesOf);
  const parts = pieces.flatMap(partsOf);
  return parts.length > pieces.length ? either(phrase(parts, hasStar), whole) : whole;
}

/** A single word: a date where it is one, and little where it says nothing. */
function asked(term: Term): Term {
  const word = term.forms[0]![0]!.folded;
  if (stopWords.has(word)) return { ...term, weight: stopWeight, isSoft: true, isStopWord: true };
  const date = dateTokens(word);
  if (date === null) return term;
  const match = `(${term.match} OR scope : ${date})`;
  return { ...term, match, sure: match };
}

/** `foo` and `"foo ba*"` are looked for alike, and only a look at the text tells them apart. */
function unique(terms: Term[]): Term[] {
  const seen = new Map<string, Term>();
  for (const term of terms) {
    const wanted = isSure(term) ? term.match : JSON.stringify(term.forms);
    const known = seen.get(wanted);
    if (!known || known.weight < term.weight) seen.set(wanted, term);
  }
  return [...seen.values()];
}

/** A query of nothing but "the" asks for "the". */
function withSomeHard(terms: Term[]): Term[] {
  if (terms.some((term) => !term.isSoft)) return terms;
  return terms.map((term) => ({ ...term, isSoft: false, isStopWord: false, weight: 1 }));
}
