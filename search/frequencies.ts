/** How common terms are. Counted up to some hundreds of turns, and estimated from there on. */
import type { Frequencies } from './candidates.ts';
import type { IndexFile } from './index-file.ts';
import type { Term } from './term.ts';

const countedMax = 128;
/** Whether words follow each other costs as much as a dozen words. */
const phrasesCountedMax = 32;
const keptMax = 50_000;

/** Kept until the index has grown by a hundredth: what is rare stays rare for longer than that. */
export function createFrequencies(index: IndexFile): Frequencies {
  const known = new Map<string, number>();
  let keptAt = 0;
  const newestId = () => index.state.watermark;

  function count({ match, forms }: Term): number {
    const most = forms[0]!.length > 1 ? phrasesCountedMax : countedMax;
    const ids = index.select(match, most);
    if (ids.length < most) return ids.length;
    // So many turns from here to the newest one: the others are taken to be as close to each other.
    return (most * newestId()) / (newestId() - ids.at(-1)! + 1);
  }

  return {
    of(term) {
      const { match } = term;
      if (newestId() > keptAt * 1.01 + 10 || newestId() < keptAt || known.size > keptMax) {
        known.clear();
        keptAt = newestId();
      }
      const before = known.get(match);
      if (before !== undefined) return before;
      const counted = count(term);
      known.set(match, counted);
      return counted;
    },
  };
}
