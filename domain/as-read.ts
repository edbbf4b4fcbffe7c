/** Turns in the order in which they are read, whenever they came. */
import type { TurnRole, TurnSource } from '../contract/words.ts';

interface Placed {
  seq: number;
  /** Null: in a branch that was left. */
  place: number | null;
  role: TurnRole;
  at: string;
  source: TurnSource | null;
}

/** So many are held back at most while nothing has come in another order than it is read in. */
const heldMax = 500;

/**
 * What came as it is read is given on with each prompt. From the first turn on that has another place all are held to
 * the end: any of those to come may be read before it.
 */
export async function* asRead<T extends Placed>(
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<T, void> {
  let held: T[] = [];
  let isAsItCame = true;
  for await (const page of pages) {
    for (const turn of page) {
      isAsItCame &&= turn.place === turn.seq;
      if (isAsItCame && (turn.role === 'user' || held.length >= heldMax)) {
        yield* callbacksFirst(held);
        held = [];
      }
      held.push(turn);
    }
  }
  yield* callbacksFirst(isAsItCame ? held : inPlace(held));
}

/** What was left stays behind what came before it. */
function inPlace<T extends Placed>(turns: readonly T[]): T[] {
  let last = 0;
  return turns
    .map((turn) => ({ turn, place: (last = turn.place ?? last) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ turn }) => turn);
}

/** A callback is known to be read when the model has answered. It is told where that one read it: before the answer. */
function callbacksFirst<T extends Placed>(turns: readonly T[]): T[] {
  const ordered: T[] = [];
  for (const turn of turns) {
    if (turn.role !== 'callback') ordered.push(turn);
    else ordered.splice(ordered.findLastIndex((one) => !isAfter(one, turn)) + 1, 0, turn);
  }
  return ordered;
}

/** Of what a program tells, as its answers are: what we write ourselves is in order. */
const isAfter = (turn: Placed, callback: Placed) =>
  turn.source !== null && turn.role !== 'user' && turn.at > callback.at;
