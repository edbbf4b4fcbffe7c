/** Which turns somebody was given, as they are found in the transcript. */
import type { ContextSources } from '../contract/records.ts';
import type { TurnRange } from './reading-order.ts';
import type { ReadSaid } from './said.ts';

type GivenTurns = ContextSources['turns'];

/** In the order in which they are read. What stands between two of one range is read there, and was not said. */
export function givenTurns(turns: readonly ReadSaid<TurnRange>[]): GivenTurns {
  const given: GivenTurns = [];
  turns.forEach(({ seq, range }, at) => {
    const goesOn = turns[at - 1]?.range === range;
    if (goesOn) given.at(-1)!.toSeq = seq;
    else given.push({ fromSeq: seq, toSeq: seq });
  });
  return given;
}

/** As they were kept before there could be several ranges: one, or null. */
export const keptTurns = (kept: GivenTurns | GivenTurns[number] | null): GivenTurns =>
  kept === null ? [] : [kept].flat();
