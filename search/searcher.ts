/** One connection to the store, to read, and one to the index, to write: what the search thread works with. */
import type { SearchHit, SearchRequest } from '../contract/search.ts';
import { openDatabase, type Db } from '../store/database.ts';
import { createCatchUp, isBehind, type CatchUp } from './catch-up.ts';
import { createFrequencies } from './frequencies.ts';
import { discardIndex, isDamage, openIndex } from './index-file.ts';
import { createLengths } from './lengths.ts';
import { createMerge } from './merge.ts';
import { createStems } from './occurrences.ts';
import { createPlaces } from './places.ts';
import { defaultWeights, type Weights } from './rank.ts';
import { searchTurns, type SearchRoom } from './search-turns.ts';

export interface Searcher {
  /** Some turns are put into the index, or some of its pieces are merged; answers whether there is more to do. */
  step(): boolean;
  /** All turns that there were before the last step can be found: what is left to do makes it faster. */
  isWhole(): boolean;
  /** In what the index holds: whoever wants what is new takes steps first, until it is whole. */
  search(request: SearchRequest): SearchHit[];
  /** Changes up to this number have been followed, and need not be kept. */
  changesSeen(): number;
  close(): void;
}

export interface SearcherOptions {
  database: string;
  index: string;
  weights?: Weights;
}

interface Room extends SearchRoom {
  catchUp: CatchUp;
  /** Some of it; answers whether there is more. */
  merge(): boolean;
}

/** Texts are read here and there: a look at a page that is in memory is all that each should cost. */
const mappedBytes = 4 * 1024 ** 3;

/** `trouble` is told what the index goes on without. */
export function createSearcher(
  { database, index: file, weights = defaultWeights }: SearcherOptions,
  trouble: (error: unknown) => void = () => {},
): Searcher {
  const main = openDatabase(database, { readonly: true });
  main.exec(`PRAGMA mmap_size = ${mappedBytes}`);
  const stems = createStems();
  let isWhole = false;
  let room: Room | null = null;
  const opened = () => (room ??= openRoom(main, file, { stems, weights, trouble }));

  /** An index that cannot be read is thrown away, also where opening it finds that out: all of it is in the store. */
  function mended<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      room?.index.close();
      room = null;
      isWhole = false;
      discardIndex(file);
      return work();
    }
  }

  function takeStep(): boolean {
    const { index, catchUp, merge } = opened();
    if (!isBehind(main, index)) {
      isWhole = true;
      return merge();
    }
    isWhole = !catchUp.step();
    // What there is to merge is looked at next, and who waits is answered before.
    return true;
  }

  return {
    step: () => mended(takeStep),
    isWhole: () => isWhole,
    search: (request) =>
      mended(() => {
        while (!isWhole) takeStep();
        return searchTurns(opened(), request);
      }),
    changesSeen: () => room?.index.state.changes ?? 0,
    close() {
      room?.index.close();
      main.close();
    },
  };
}

function openRoom(
  main: Db,
  file: string,
  known: Pick<Room, 'stems' | 'weights'> & { trouble: (error: unknown) => void },
): Room {
  const index = openIndex(file, main);
  try {
    const places = createPlaces(main, index.state.watermark);
    const lengths = createLengths(index.db);
    lengths.follow(index.state.watermark);
    return {
      ...known,
      main,
      index,
      frequencies: createFrequencies(index),
      places,
      lengths,
      catchUp: createCatchUp(main, index, places, lengths),
      merge: createMerge(index.db, known.trouble),
    };
  } catch (error) {
    index.close();
    throw error;
  }
}
