/**
 * The pieces that an index was made of become one: a word is then looked for in one place. It is done in portions
 * that are kept, so that whoever searches meanwhile is answered, and a kill costs one of them.
 */
import type BetterSqlite3 from 'better-sqlite3';
import { isDamage } from './index-file.ts';

/** Of 4 kB: some tenths of a second on a slow disk. FTS5 begins each thousand anew also where it merges all at once. */
const pagesOfPortion = 2000;
/** From then on pieces are merged as they come; twice FTS5's own measure, as each merge writes again what was written. */
const piecesOfLevel = 8;
const piecesMax = 16;
/** FTS5's most: what has come since merging began is not taken up. That it is set tells that merging has begun. */
const piecesTakenUp = 16;
/** FTS5's own word for "nothing was done": fewer changes than this. */
const changesOfWork = 2;

/**
 * An index that was never merged as a whole merges nothing by itself: by that it is known, also after a restart.
 * Answers with what does one portion, and says whether there is more.
 */
export function createMerge(
  db: BetterSqlite3.Database,
  trouble: (error: unknown) => void,
  pages = pagesOfPortion,
): () => boolean {
  const setting = db.prepare('SELECT v FROM turn_index_config WHERE k = ?').pluck();
  const changes = db.prepare('SELECT total_changes()').pluck();
  let isDone = setting.get('automerge') !== 0;

  const takePortion = db.transaction((): boolean => {
    if (mergeSome() || vacuumSome(db, pages)) return true;
    set(db, 'automerge', piecesOfLevel);
    set(db, 'crisismerge', piecesMax);
    return false;
  });

  function mergeSome(): boolean {
    const isBegun = setting.get('usermerge') === piecesTakenUp;
    const before = changes.get() as number;
    // Below nothing: all of them are to become one. Said again, it would begin anew.
    set(db, 'merge', isBegun ? pages : -pages);
    const isWork = (changes.get() as number) - before >= changesOfWork;
    if (!isBegun) set(db, 'usermerge', piecesTakenUp);
    return isWork;
  }

  return () => {
    if (isDone) return false;
    try {
      isDone = !takePortion.immediate();
      if (isDone) db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (isDamage(error)) throw error;
      // A full disk. In pieces the index answers as well, in more time: the next who opens it tries again.
      isDone = true;
      trouble(error);
    }
    return !isDone;
  };
}

/** What merging leaves behind is given back. */
function vacuumSome(db: BetterSqlite3.Database, pages: number): boolean {
  const free = () => db.pragma('freelist_count', { simple: true }) as number;
  const before = free();
  if (before > 0) db.pragma(`incremental_vacuum(${pages})`);
  return free() < before;
}

/** As a literal: a number that is bound is a REAL, which FTS5 refuses. */
function set(db: BetterSqlite3.Database, name: string, value: number): void {
  db.exec(`INSERT INTO turn_index (turn_index, rank) VALUES ('${name}', ${value})`);
}
