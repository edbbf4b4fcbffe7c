/** The pieces that an index was made of become one: a word is then looked for in one place. */
import type BetterSqlite3 from 'better-sqlite3';

/** From then on pieces are merged as they come: FTS5's own measure. */
const piecesOfLevel = 4;
const piecesMax = 16;

/** An index that was never merged as a whole merges nothing by itself: by that it is known, also after a restart. */
export function createMerge(db: BetterSqlite3.Database): () => void {
  const merging = db.prepare(`SELECT v FROM turn_index_config WHERE k = 'automerge'`).pluck();
  let isDone = merging.get() !== 0;
  return () => {
    if (isDone) return;
    merge(db);
    isDone = true;
  };
}

function merge(db: BetterSqlite3.Database): void {
  // As literals: a number that is bound is a REAL, which FTS5 refuses.
  db.exec(`
    BEGIN IMMEDIATE;
    INSERT INTO turn_index (turn_index) VALUES ('optimize');
    INSERT INTO turn_index (turn_index, rank) VALUES ('automerge', ${piecesOfLevel});
    INSERT INTO turn_index (turn_index, rank) VALUES ('crisismerge', ${piecesMax});
    COMMIT;
  `);
  db.pragma('incremental_vacuum');
  db.pragma('wal_checkpoint(TRUNCATE)');
}
