/** Of thousands of turns those whose score may be highest, by what is known without a look at their texts. */
import type { Lengths } from './lengths.ts';
import { saturation } from './rank.ts';

export interface Candidate {
  id: number;
  /** The terms that it was found by, as bits. */
  terms: number;
}

/** So many are scored: with more, what lies together pushes out what was meant. */
export const scoredMax = 80;
/** So many are read to find them, where only a look at the text can tell whether it is meant. */
const readMax = 800;

/** By turn: the terms that it was found by, as bits. */
export type FoundTurns = ReadonlyMap<number, number>;

export interface Wanted {
  /** The index says for sure what is meant. */
  isSure: boolean;
  /** So many sessions, if not turns: then the best of each come first. */
  sessions: number | null;
  sessionOf(turnId: number): number;
}

/** The best first, where not all of them are scored. */
export function shortlist(
  found: FoundTurns,
  weights: readonly number[],
  lengths: Lengths,
  wanted: Wanted,
): Candidate[] {
  if (found.size <= scoredMax) return chosen(found, [...found.keys()]);
  const ids = Float64Array.from(found.keys());
  const scores = scoresOf(ids, found, weights, lengths);
  if (!wanted.isSure || wanted.sessions !== null) {
    return chosen(found, bestInOrder(ids, scores, wanted));
  }
  // As a set: numbers alone are sorted in a fraction of the time that candidates are.
  const least = scores.toSorted()[scores.length - scoredMax]!;
  const above: number[] = [];
  const equal: number[] = [];
  for (const [at, id] of ids.entries()) {
    if (scores[at]! > least) above.push(id);
    else if (scores[at] === least) equal.push(id);
  }
  // Of equal ones the newest.
  equal.sort((a, b) => b - a);
  return chosen(found, [...above, ...equal.slice(0, scoredMax - above.length)]);
}

const chosen = (found: FoundTurns, ids: readonly number[]): Candidate[] =>
  ids.map((id) => ({ id, terms: found.get(id)! }));

function scoresOf(
  ids: Float64Array,
  found: FoundTurns,
  weights: readonly number[],
  lengths: Lengths,
): Float64Array {
  const sums = new Map<number, number>();
  const sumOf = (bits: number) => {
    const known = sums.get(bits);
    if (known !== undefined) return known;
    const sum = weights.reduce((all, weight, at) => all + (bits & (1 << at) ? weight : 0), 0);
    sums.set(bits, sum);
    return sum;
  };
  const mean = lengths.mean();
  return ids.map((id) => sumOf(found.get(id)!) * saturation(1, lengths.of(id) / mean));
}

function bestInOrder(
  ids: Float64Array,
  scores: Float64Array,
  { isSure, sessions, sessionOf }: Wanted,
): number[] {
  const most = isSure ? scoredMax : readMax;
  const mostOfEach = sessions === null ? most : Math.floor(scoredMax / sessions);
  const taken = new Map<number, number>();
  const best: number[] = [];
  const rest: number[] = [];
  const order = [...ids.keys()].sort((a, b) => scores[b]! - scores[a]! || ids[b]! - ids[a]!);
  for (const at of order) {
    const id = ids[at]!;
    const count = taken.get(sessionOf(id)) ?? 0;
    taken.set(sessionOf(id), count + 1);
    if (count < mostOfEach) best.push(id);
    else rest.push(id);
    if (best.length === most) break;
  }
  return [...best, ...rest].slice(0, most);
}
