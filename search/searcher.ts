/** One connection to the store, to read, and one to the index, to write: what the search thread works with. */
import type { SearchHit, SearchRequest } from '../contract/search.ts';
import { openDatabase } from '../store/database.ts';
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
  /** Some turns are put into the index; answers whether there are more. */
  step(): boolean;
  /** In what the index holds: whoever wants all of it takes steps first. */
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
  mergeOnce(): void;
}

/** Texts are read here and there: a look at a page that is in memory is all that each should cost. */
const mappedBytes = 4 * 1024 ** 3;

export function createSearcher({ database, index: file, weights }: SearcherOptions): Searcher {
  const main = openDatabase(database, { readonly: true });
  main.exec(`PRAGMA mmap_size = ${mappedBytes}`);
  const stems = createStems();
  let room = open();

  function open(): Room {
    const index = openIndex(file, main);
    const frequencies = createFrequencies(index);
    const places = createPlaces(main, index.state.watermark);
    const lengths = createLengths(index.db);
    lengths.follow(index.state.watermark);
    const catchUp = createCatchUp(main, index, places);
    return {
      main,
      index,
      frequencies,
      stems,
      places,
      lengths,
      catchUp,
      mergeOnce: createMerge(index.db),
      weights: weights ?? defaultWeights,
    };
  }

  /** An index that cannot be read is thrown away: all of it is in the store. */
  function mended<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      room.index.close();
      discardIndex(file);
      room = open();
      while (takeStep());
      return work();
    }
  }

  function takeStep(): boolean {
    if (isBehind(main, room.index)) {
      const isMore = room.catchUp.step();
      room.lengths.follow(room.index.state.watermark);
      if (isMore) return true;
    }
    // Also where the last step did not know that it was the last.
    room.mergeOnce();
    return false;
  }

  return {
    step: () => mended(takeStep),
    search: (request) => mended(() => searchTurns(room, request)),
    changesSeen: () => room.index.state.changes,
    close() {
      room.index.close();
      main.close();
    },
  };
}
