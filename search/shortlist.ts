/** Of thousands of turns those whose score may be highest, by what is known without a look at their texts. */
import type { Lengths } from './lengths.ts';
import { saturation } from './rank.ts';

export interface Candidate {
  id: number;
  /** The terms that it was found by, as bits. */
  terms: number;
}

/** So many are read and scored: with more, what lies together pushes out what was meant. */
const scoredMax = 80;

/** By turn: the terms that it was found by, as bits. */
export type FoundTurns = ReadonlyMap<number, number>;

/** Where sessions are wanted, the best turns of each: one must not take the room of so many. */
export interface SessionsWanted {
  count: number;
  sessionOf(turnId: number): number;
}

export function shortlist(
  found: FoundTurns,
  weights: readonly number[],
  lengths: Lengths,
  sessions: SessionsWanted | null,
): Candidate[] {
  if (found.size <= scoredMax) return chosen(found, [...found.keys()]);
  const ids = Float64Array.from(found.keys());
  const scores = scoresOf(found, weights, lengths);
  if (sessions !== null) return chosen(found, bestOfEach(ids, scores, sessions));
  // Numbers alone are sorted in a fraction of the time that candidates are.
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

function scoresOf(found: FoundTurns, weights: readonly number[], lengths: Lengths): Float64Array {
  const sums = new Map<number, number>();
  const sumOf = (bits: number) => {
    const known = sums.get(bits);
    if (known !== undefined) return known;
    const sum = weights.reduce((all, weight, at) => all + (bits & (1 << at) ? weight : 0), 0);
    sums.set(bits, sum);
    return sum;
  };
  const mean = lengths.mean();
  return Float64Array.from(
    found,
    ([id, bits]) => sumOf(bits) * saturation(1, lengths.of(id) / mean),
  );
}

function bestOfEach(ids: Float64Array, scores: Float64Array, sessions: SessionsWanted): number[] {
  const most = Math.floor(scoredMax / sessions.count);
  const taken = new Map<number, number>();
  const best: number[] = [];
  const order = [...ids.keys()].sort((a, b) => scores[b]! - scores[a]! || ids[b]! - ids[a]!);
  for (const at of order) {
    if (best.length === scoredMax) break;
    const sessionId = sessions.sessionOf(ids[at]!);
    const count = taken.get(sessionId) ?? 0;
    if (count === most) continue;
    taken.set(sessionId, count + 1);
    best.push(ids[at]!);
  }
  return best;
}
