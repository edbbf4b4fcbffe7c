/** `search.db`: derived from the store, and thrown away whenever it is in doubt. */
import { rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import type { Db } from '../store/database.ts';
import { readMeta } from '../store/meta.ts';
import { createScopeNames, type ScopeNames } from './scope-names.ts';

/** A file with another number is made anew. To be raised with whatever changes what is in it. */
const indexVersion = 5;

/** What is put in is held in memory up to here, or to the end of its transaction; then it is a piece of the index. */
const hashBytes = 64 * 1024 ** 2;
/** While the index is made nothing is merged: once at the end costs half of merging all along. */
const unmergedMax = 1000;

export interface IndexState {
  /** Turns up to this id are in it. */
  watermark: number;
  /** What the turn of that id looked like, by which another store is told from this one. */
  mark: string;
  /** Changes up to this number have been followed. */
  changes: number;
  /** All that was ever put in, for the mean length of a turn. */
  turns: number;
  chars: number;
}

export interface IndexFile {
  db: BetterSqlite3.Database;
  state: IndexState;
  names: ScopeNames;
  /** Turns that an expression of FTS5 fits, the newest first. */
  select(match: string, limit: number): number[];
  /** All of them, where there cannot be many. */
  selectAll(match: string): number[];
  /** Within a transaction of its own. */
  save(state: IndexState): void;
  close(): void;
}

/** Opens it, or makes it anew where it is not what belongs to this store. */
export function openIndex(file: string, main: Db): IndexFile {
  let found: IndexFile | null = null;
  try {
    found = openFile(file);
    if (found !== null && isOfStore(found, main)) return found;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  found?.close();
  discardIndex(file);
  return makeFile(file, main);
}

export function discardIndex(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true });
}

/** Not a full disk or a lock: the file itself cannot be read, or holds something else. */
export function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return (
    typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB|ERROR|CONSTRAINT|MISMATCH)/.test(code)
  );
}

function connect(file: string, { isNew }: { isNew: boolean }): BetterSqlite3.Database {
  const db = new BetterSqlite3(file);
  // So that what merging leaves behind can be given back. Before anything is in it: later it would be a write, for nothing.
  if (isNew) db.pragma('auto_vacuum = INCREMENTAL');
  // Not FULL: what a power cut takes away is read from the store again.
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('busy_timeout = 5000');
  db.pragma('cache_size = -64000');
  db.pragma('mmap_size = 4294967296');
  return db;
}

/** Null for a file of another version. */
function openFile(file: string): IndexFile | null {
  const db = connect(file, { isNew: false });
  try {
    const version = db.pragma('user_version', { simple: true });
    if (version !== indexVersion) {
      db.close();
      return null;
    }
    const index = indexFile(db, readState(db));
    // Also that its table is there.
    index.select('"x"', 1);
    return index;
  } catch (error) {
    db.close();
    throw error;
  }
}

function makeFile(file: string, main: Db): IndexFile {
  const db = connect(file, { isNew: true });
  try {
    db.exec(`
      BEGIN IMMEDIATE;
      CREATE VIRTUAL TABLE turn_index USING fts5(
        text, scope, content='', contentless_delete=1, tokenize='porter unicode61');
      INSERT INTO turn_index (turn_index, rank) VALUES ('hashsize', ${hashBytes});
      INSERT INTO turn_index (turn_index, rank) VALUES ('automerge', 0);
      INSERT INTO turn_index (turn_index, rank) VALUES ('crisismerge', ${unmergedMax});
      CREATE TABLE scopes (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name));
      CREATE TABLE state (home_id TEXT NOT NULL, watermark INTEGER NOT NULL, mark TEXT NOT NULL,
        changes INTEGER NOT NULL, turns INTEGER NOT NULL, chars INTEGER NOT NULL);
    `);
    const changes = lastChange(main);
    db.prepare(`INSERT INTO state VALUES (?, 0, '', ?, 0, 0)`).run(homeOf(main), changes);
    db.exec(`PRAGMA user_version = ${indexVersion}; COMMIT`);
    return indexFile(db, readState(db));
  } catch (error) {
    // It is tried again with each search for as long as a disk is full: none may leave its handle behind.
    db.close();
    throw error;
  }
}

function indexFile(db: BetterSqlite3.Database, state: IndexState): IndexFile {
  const names = createScopeNames(db);
  let found: BetterSqlite3.Statement | null = null;
  let foundAll: BetterSqlite3.Statement | null = null;
  return {
    db,
    state,
    names,
    select(match, limit) {
      found ??= db.prepare(selectSql).pluck();
      return found.all(match, limit) as number[];
    },
    selectAll(match) {
      foundAll ??= db.prepare(selectAllSql).pluck();
      return foundAll.all(match) as number[];
    },
    save(next) {
      db.prepare(
        `UPDATE state SET watermark = :watermark, mark = :mark, changes = :changes, turns = :turns, chars = :chars`,
      ).run(next);
      this.state = next;
    },
    close: () => void db.close(),
  };
}

/** Forwards, which takes FTS5 two thirds of the time that backwards does. */
const selectAllSql = 'SELECT rowid FROM turn_index WHERE turn_index MATCH ?';
const selectSql =
  'SELECT rowid FROM turn_index WHERE turn_index MATCH ? ORDER BY rowid DESC LIMIT +?';

const readState = (db: BetterSqlite3.Database) =>
  db.prepare('SELECT watermark, mark, changes, turns, chars FROM state').get() as IndexState;

/** A store that was put back from a copy lacks what this one has seen, or holds something else in its place. */
function isOfStore({ db, state }: IndexFile, main: Db): boolean {
  const home = db.prepare('SELECT home_id FROM state').pluck().get();
  if (home !== homeOf(main) || lastChange(main) < state.changes) return false;
  if (state.watermark === 0 || markOf(main, state.watermark) === state.mark) return true;
  const isExplained = main.get(
    'SELECT 1 FROM search_changes WHERE n > :changes AND turn_id = :watermark',
    { changes: state.changes, watermark: state.watermark },
  );
  return isExplained !== undefined;
}

const homeOf = (main: Db) => readMeta(main, 'home_id') ?? '';

/** Also of those that have been taken away since. */
export const lastChange = (main: Db) =>
  main.get<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'search_changes'`)?.seq ??
  0;

export function markOf(main: Db, turnId: number): string {
  const row = main.get<{ session_id: number; seq: number; at: string }>(
    'SELECT session_id, seq, at FROM turns WHERE id = :turnId',
    { turnId },
  );
  return row === undefined ? '' : `${row.session_id} ${row.seq} ${row.at}`;
}
