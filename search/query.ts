/** What a query asks for, term by term, each with its expression for FTS5. No text of the caller's is syntax. */
import { limits } from '../contract/limits.ts';
import { dateTokens } from './dates.ts';
import { pairsOf } from './expand.ts';
import { fold } from './fold.ts';
import { denseRun, partsOf } from './letters.ts';
import { stem } from './stem.ts';
import { stopWords } from './stop-words.ts';

export interface Term {
  /** Of FTS5, over the whole row; made of quoted words and of nothing else. */
  match: string;
  /** Words that have to follow each other, as they are counted in a text. */
  words: { folded: string; stem: string }[];
  kind: 'words' | 'prefix' | 'dense';
  /** A part of another term counts for less than the term. */
  weight: number;
  /** Helps in ranking; nothing is found by it alone. */
  isSoft: boolean;
  isStopWord?: boolean;
}

export interface Query {
  terms: Term[];
  /** What must not be there. */
  without: Term[];
}

/** Which terms a turn was found by is kept in the bits of a number. */
const termsMax = 31;
const partWeight = 0.3;
const stopWeight = 0.1;
/** Shorter beginnings fit a good part of all words there are. */
const prefixCharsMin = 3;

export function parseQuery(text: string): Query {
  const query: Query = { terms: [], without: [] };
  let left: number = limits.queryWordsMax;
  for (const token of tokensOf(text.normalize('NFKC'))) {
    const words = wordsIn(token.text).slice(0, left);
    left -= words.length;
    if (words.length === 0) continue;
    if (token.isWithout) query.without.push(phrase(words, 1));
    else if (token.isPhrase) query.terms.push(phrase(words, 1));
    else query.terms.push(...termsOf(words, token.text.endsWith('*')));
  }
  const terms = withSomeHard(unique(query.terms)).toSorted((a, b) => +a.isSoft - +b.isSoft);
  return { terms: terms.slice(0, termsMax), without: query.without };
}

interface Token {
  text: string;
  isPhrase: boolean;
  isWithout: boolean;
}

/** Phrases in quotes, and what stands between spaces and brackets; a quote without its end goes to the end. */
function* tokensOf(text: string): Generator<Token> {
  const pattern = /(-?)["“”]([^"“”]*)(?:["“”]|$)|([^\s"“”,;()[\]{}<>|…]+)/gu;
  for (const [, minus, quoted, bare] of text.matchAll(pattern)) {
    if (quoted !== undefined) {
      yield { text: quoted, isPhrase: true, isWithout: minus === '-' };
    } else if (bare !== undefined) {
      const isWithout = /^-[\p{L}\p{N}]/u.test(bare);
      yield { text: bare.replace(/['’]s$/u, ''), isPhrase: false, isWithout };
    }
  }
}

const wordsIn = (text: string) =>
  (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) =>
    Array.from(word).slice(0, limits.queryWordCharsMax).join(''),
  );

/** `case_name`, `foo/bar.ts` and `getUser` are one term; their parts help where it is not found. */
function termsOf(words: string[], isPrefix: boolean): Term[] {
  if (words.some((word) => word.search(denseRun) >= 0)) return words.flatMap(denseTerms);
  const last = words.at(-1)!;
  if (isPrefix && words.length === 1 && last.length >= prefixCharsMin) return [prefix(last)];
  const parts = words.flatMap(partsOf);
  const whole = phrase(words, 1);
  if (parts.length === 1) return [asked(whole)];
  const split = phrase(parts, 1);
  if (parts.length > words.length) whole.match = `(${whole.match} OR ${split.match})`;
  const soft = parts
    .filter((part) => part.length > 1 && !stopWords.has(part.toLowerCase()))
    .map((part) => ({ ...phrase([part], partWeight), isSoft: true }));
  return [parts.length > words.length ? { ...whole, words: split.words } : whole, ...soft];
}

/** A single word: a date where it is one, and little where it says nothing. */
function asked(term: Term): Term {
  const word = term.words[0]!.folded;
  if (stopWords.has(word)) return { ...term, weight: stopWeight, isSoft: true, isStopWord: true };
  const date = dateTokens(word);
  return date === null ? term : { ...term, match: `(${term.match} OR scope : ${date})` };
}

function phrase(words: string[], weight: number): Term {
  return {
    match: inText(words.join(' ')),
    words: words.map(counted),
    kind: words.length === 1 && words[0]!.search(denseRun) >= 0 ? 'dense' : 'words',
    weight,
    isSoft: false,
  };
}

/** What the index holds of such a run are pairs; of a single character, the pairs that begin with it. */
function denseTerms(word: string): Term[] {
  const runs = word.split(new RegExp(`(${denseRun.source})`, 'u')).filter((run) => run !== '');
  return runs.flatMap((run): Term[] => {
    if (run.search(denseRun) < 0) return [phrase([run], 1)];
    const chars = Array.from(run);
    const match = chars.length === 1 ? `text : "${run}" *` : inText(pairsOf(run).join(' '));
    return [{ match, words: [counted(run)], kind: 'dense', weight: 1, isSoft: false }];
  });
}

/** The index holds stems: words that begin like this may stand there as something shorter. */
function prefix(word: string): Term {
  const folded = fold(word);
  const shorter: string[] = [];
  for (let end = folded.length - 1; end >= prefixCharsMin && shorter.length < 6; end -= 1) {
    shorter.push(`"${folded.slice(0, end)}"`);
  }
  const match = [`"${folded}" *`, ...shorter].join(' OR ');
  const words = [counted(word)];
  return { match: `text : (${match})`, words, kind: 'prefix', weight: 1, isSoft: false };
}

const inText = (words: string) => `text : "${words}"`;

function counted(word: string): { folded: string; stem: string } {
  const folded = fold(word);
  return { folded, stem: stem(folded) };
}

function unique(terms: Term[]): Term[] {
  const seen = new Map<string, Term>();
  for (const term of terms) {
    const known = seen.get(term.match);
    if (!known || known.weight < term.weight) seen.set(term.match, term);
  }
  return [...seen.values()];
}

/** A query of nothing but "the" asks for "the". */
function withSomeHard(terms: Term[]): Term[] {
  if (terms.some((term) => !term.isSoft)) return terms;
  return terms.map((term) => ({ ...term, isSoft: false, isStopWord: false, weight: 1 }));
}
