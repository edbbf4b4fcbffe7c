/** How common terms are. Counted up to some hundreds of turns, and estimated from there on. */
import type { Frequencies } from './candidates.ts';
import type { IndexFile } from './index-file.ts';

const countedMax = 400;
const keptMax = 5000;

/** Kept until the index has grown by a hundredth: what is rare stays rare for longer than that. */
export function createFrequencies(index: IndexFile): Frequencies {
  const known = new Map<string, number>();
  let keptAt = 0;
  const newestId = () => index.state.watermark;

  function count(match: string): number {
    const ids = index.select(match, countedMax);
    if (ids.length < countedMax) return ids.length;
    // So many turns from here to the newest one: the others are taken to be as close to each other.
    return (countedMax * newestId()) / (newestId() - ids.at(-1)! + 1);
  }

  return {
    of({ match }) {
      if (newestId() > keptAt * 1.01 + 10 || newestId() < keptAt || known.size > keptMax) {
        known.clear();
        keptAt = newestId();
      }
      const before = known.get(match);
      if (before !== undefined) return before;
      const counted = count(match);
      known.set(match, counted);
      return counted;
    },
  };
}
