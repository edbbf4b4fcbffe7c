/** How common terms are. Counted up to some thousands of turns, and estimated from there on. */
import type BetterSqlite3 from 'better-sqlite3';
import type { Frequencies } from './candidates.ts';

const countedMax = 2000;
const keptMax = 5000;

/** Kept until the index has grown by a hundredth: what is rare stays rare for longer than that. */
export function createFrequencies(db: BetterSqlite3.Database, newestId: () => number): Frequencies {
  const known = new Map<string, number>();
  let keptAt = 0;
  const select = db
    .prepare('SELECT rowid FROM turn_index WHERE turn_index MATCH ? ORDER BY rowid DESC LIMIT ?')
    .pluck();

  function count(match: string): number {
    const ids = select.all(match, countedMax) as number[];
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
