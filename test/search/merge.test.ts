import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { openIndex } from '../../search/index-file.ts';
import { createMerge } from '../../search/merge.ts';
import { withStore } from '../store/store-fixture.ts';

const pieces = 6;
const turnsOfPiece = 5000;
const pagesOfPortion = 10;

interface Room {
  db: BetterSqlite3.Database;
  /** As a process does that comes after one that was killed. */
  reopen(): BetterSqlite3.Database;
}

/** An index as catching up leaves it: in pieces. */
const withPieces = (use: (room: Room) => void) =>
  withStore(({ store, folder }) => {
    const file = join(folder, 'search.db');
    let db = openIndex(file, store.db).db;
    for (let piece = 0; piece < pieces; piece += 1) say(db, piece * turnsOfPiece, turnsOfPiece);
    const reopen = () => {
      db.close();
      return (db = new BetterSqlite3(file));
    };
    try {
      use({ db, reopen });
    } finally {
      db.close();
    }
    return Promise.resolve();
  });

function say(db: BetterSqlite3.Database, after: number, turns: number): void {
  db.exec(`
    INSERT INTO turn_index (rowid, text, scope)
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${turns})
    SELECT n + ${after}, 'needle number' || (n + ${after}), 'a1' FROM n`);
}

const countPieces = (db: BetterSqlite3.Database) =>
  db
    .prepare('SELECT count(DISTINCT id >> 37) FROM turn_index_data WHERE id >> 37 > 0')
    .pluck()
    .get();

const find = (db: BetterSqlite3.Database, word: string) =>
  db.prepare('SELECT count(*) FROM turn_index WHERE turn_index MATCH ?').pluck().get(word);

const no = (error: unknown) => {
  throw error;
};

function finish(merge: () => boolean): number {
  let portions = 1;
  while (merge()) portions += 1;
  return portions;
}

/** Of merging that nothing comes between. */
async function portionsOfAll(): Promise<number> {
  let portions = 0;
  await withPieces(({ db, reopen }) => {
    portions = finish(createMerge(db, no, pagesOfPortion));
    expect(countPieces(db)).toBe(1);
    expect(db.pragma('freelist_count', { simple: true })).toBe(0);
    expect(finish(createMerge(reopen(), no, pagesOfPortion))).toBe(1);
  });
  expect(portions).toBeGreaterThan(10);
  return portions;
}

test('merging goes on where it was killed, to one piece, and is not done again', async () => {
  const all = await portionsOfAll();
  await withPieces(({ db: first, reopen }) => {
    let db = first;
    let portions = 0;
    for (let isMore = true; isMore; portions += 1) {
      expect(find(db, 'needle')).toBe(pieces * turnsOfPiece);
      isMore = createMerge(db, no, pagesOfPortion)();
      db = reopen();
    }
    expect(portions).toBeLessThan(all + 3);
    expect(countPieces(db)).toBe(1);
  });
});

test('what comes while it is merged is found, and does not make it begin anew', async () => {
  const all = await portionsOfAll();
  await withPieces(({ db: first, reopen }) => {
    let db = first;
    let last = pieces * turnsOfPiece;
    let portions = 0;
    for (let isMore = true; isMore; portions += 1) {
      isMore = createMerge(db, no, pagesOfPortion)();
      // So few that they would be taken up at once, were they taken up.
      if (portions < 8) {
        last += 1;
        say(db, last - 1, 1);
      }
      db = reopen();
    }
    expect(portions).toBeLessThan(all + 5);
    expect(find(db, 'needle')).toBe(last);
    expect(find(db, `number${last}`)).toBe(1);
  });
});

test('a full disk leaves the pieces as they are, and is told of', () =>
  withPieces(({ db, reopen }) => {
    const told: unknown[] = [];
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true }) as number}`);
    const merge = createMerge(db, (error) => told.push(error), 1000);
    expect(finish(merge)).toBe(1);
    expect(told).toEqual([expect.objectContaining({ code: 'SQLITE_FULL' })]);
    expect(merge()).toBe(false);
    expect(find(db, 'needle')).toBe(pieces * turnsOfPiece);
    const later = reopen();
    finish(createMerge(later, no));
    expect(countPieces(later)).toBe(1);
  }));
