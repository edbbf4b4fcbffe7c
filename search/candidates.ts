/**
 * Phase one: which turns may be meant, without ranking them. FTS5's own ranking reads every occurrence of
 * every word in the whole index; here each term gives up some thousands of its newest turns, the rarest first.
 */
import type BetterSqlite3 from 'better-sqlite3';
import type { Query, Term } from './query.ts';

export interface Candidate {
  id: number;
  /** The terms that it was found by, as bits. */
  terms: number;
}

/** Of one query; and how many of them are read and scored. */
const candidatesMax = 4000;
const scoredMax = 200;
/** Terms found in more turns than this share say little, where another has found enough. */
const commonShare = 0.2;
const enough = 200;

export interface Frequencies {
  /** In how many turns of the whole index it stands; an estimate above some thousands. */
  of(term: Term): number;
}

export interface Found {
  candidates: Candidate[];
  /** The weight of each term: rare ones have more. */
  weights: number[];
}

export function findCandidates(
  db: BetterSqlite3.Database,
  frequencies: Frequencies,
  { terms, without }: Query,
  options: { scope: string; turns: number },
): Found {
  const counts = terms.map((term) => frequencies.of(term));
  const weights = terms.map(
    (term, at) =>
      term.weight * Math.log(1 + (options.turns - counts[at]! + 0.5) / (counts[at]! + 0.5)),
  );
  const not = without.map(({ match }) => match).join(' OR ');
  const select = db
    .prepare('SELECT rowid FROM turn_index WHERE turn_index MATCH ? ORDER BY rowid DESC LIMIT ?')
    .pluck();
  const ask = (match: string, limit: number) =>
    select.all(`(${options.scope} AND ${match})${not && ` NOT (${not})`}`, limit) as number[];

  const found = new Map<number, number>();
  const hard = terms.map((_, at) => at).filter((at) => !terms[at]!.isSoft);
  if (hard.length > 1) {
    const all = hard.reduce((bits, at) => bits | (1 << at), 0);
    const match = hard.map((at) => terms[at]!.match).join(' AND ');
    for (const id of ask(`(${match})`, candidatesMax)) found.set(id, all);
  }
  for (const at of hard.toSorted((a, b) => counts[a]! - counts[b]!)) {
    const left = candidatesMax - found.size;
    const isCommon = counts[at]! > options.turns * commonShare && found.size >= enough;
    if (left <= 0 || isCommon) break;
    for (const id of ask(terms[at]!.match, left)) found.set(id, (found.get(id) ?? 0) | (1 << at));
  }
  return { candidates: best(found, weights), weights };
}

/** Those that hold most of what is rare, then the newest. */
function best(found: Map<number, number>, weights: readonly number[]): Candidate[] {
  const sums = new Map<number, number>();
  const sumOf = (bits: number) => {
    const known = sums.get(bits);
    if (known !== undefined) return known;
    const sum = weights.reduce((all, weight, at) => all + (bits & (1 << at) ? weight : 0), 0);
    sums.set(bits, sum);
    return sum;
  };
  const all = [...found].map(([id, terms]) => ({ id, terms }));
  if (all.length <= scoredMax) return all;
  return all.toSorted((a, b) => sumOf(b.terms) - sumOf(a.terms) || b.id - a.id).slice(0, scoredMax);
}
