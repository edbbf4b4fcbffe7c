/** Phase two: an exact score for a few turns, from their words and from what stands around them. */
import type { TurnRole } from '../contract/words.ts';
import type { Span } from './occurrences.ts';

/** BM25 with less weight on length than is usual: short turns must not win by being short. */
const k1 = 0.9;
const b = 0.4;

/** Found on one half of the conversations in `bench/quality/`; the other half is what they are judged by. */
export interface Weights {
  /** What a turn gets of the turn beside it, and of the one after that. */
  near: readonly [number, number];
  /** What it gets of the best turns of its session. */
  session: number;
}
export const defaultWeights: Weights = { near: [0.3, 0.15], session: 0.6 };

/** What a program has printed says less than what was said, and tools come between the two, as does a mark: a summary. */
const roleWeights: Partial<Record<TurnRole, number>> = {
  ...{ tool: 0.8, mark: 0.8, stdout: 0.5, stderr: 0.5 },
};

export interface Scored {
  id: number;
  sessionId: number;
  seq: number;
  /** Those that it was found by, as bits. */
  terms: number;
  /** By term: where it stands. */
  spans: Span[][];
  own: number;
  score: number;
}

export interface Countable {
  role: TurnRole;
  chars: number;
  /** The terms that the index has found in it, as bits: also those that we do not see there. */
  terms: number;
  spans: Span[][];
}

export function ownScore(turn: Countable, weights: readonly number[], meanChars: number): number {
  const length = turn.chars / Math.max(1, meanChars);
  let sum = 0;
  for (const [at, weight] of weights.entries()) {
    const count = turn.spans[at]!.length || (turn.terms & (1 << at) ? 1 : 0);
    if (count > 0) sum += weight * saturation(count, length);
  }
  return sum * (roleWeights[turn.role] ?? 1);
}

/** What a term adds that stands so often in a turn of this length, which is told in mean lengths. */
export function saturation(count: number, length: number): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + b * length));
}

/** Answers stand next to the words of their question, and evidence lies together in a session. */
export function withSurroundings(turns: Scored[], { near, session }: Weights): void {
  const byPlace = new Map(turns.map((turn) => [`${turn.sessionId} ${turn.seq}`, turn.own]));
  const at = (turn: Scored, by: number) => byPlace.get(`${turn.sessionId} ${turn.seq + by}`) ?? 0;
  for (const turn of turns) {
    turn.score =
      turn.own + near[0] * (at(turn, -1) + at(turn, 1)) + near[1] * (at(turn, -2) + at(turn, 2));
  }
  const bySession = new Map<number, Scored[]>();
  for (const turn of turns) {
    bySession.set(turn.sessionId, [...(bySession.get(turn.sessionId) ?? []), turn]);
  }
  if (bySession.size < 2) return;
  for (const together of bySession.values()) {
    const best = together.map(({ score }) => score).toSorted((x, y) => y - x);
    const prior = ((best[0] ?? 0) + (best[1] ?? 0) + (best[2] ?? 0)) / 3;
    for (const turn of together) turn.score += session * prior;
  }
}
