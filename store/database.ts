/** One SQLite connection with cached statements. Synchronous, as the driver is. */
import BetterSqlite3 from 'better-sqlite3';

export type Value = string | number | bigint | null;
export type Params = Record<string, Value>;

export interface Db {
  get<T>(sql: string, params?: Params): T | undefined;
  all<T>(sql: string, params?: Params): T[];
  run(sql: string, params?: Params): number;
  exec(sql: string): void;
  /** Of several reads that belong together, each alone would take its locks anew. */
  reading<T>(read: () => T): T;
  /** What `read` has answered for this key, until its version is another. */
  kept<T>(key: string, version: string, read: () => T): T;
  close(): void;
}

/** Things that are kept in memory, each bounded by whoever reads it. */
const keptMax = 100;

export function openDatabase(file: string, options: { readonly?: boolean } = {}): Db {
  const readonly = options.readonly ?? false;
  const raw = new BetterSqlite3(file, { readonly });
  // FULL because what we have accepted must outlive a power cut; checkpoints belong to a thread.
  if (!readonly) raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.pragma('wal_autocheckpoint = 0');
  // What savepoints keep of pages would go into a file of its own, beyond 64 kB.
  raw.pragma('temp_store = MEMORY');
  raw.pragma('busy_timeout = 5000');
  raw.pragma('foreign_keys = ON');
  raw.pragma('cache_size = -32000');
  if (process.platform === 'darwin') raw.pragma('fullfsync = ON');

  const known = new Map<string, { version: string; value: unknown }>();
  function kept<T>(key: string, version: string, read: () => T): T {
    const before = known.get(key);
    if (before?.version === version) return before.value as T;
    const value = read();
    if (!known.has(key) && known.size >= keptMax) known.clear();
    known.set(key, { version, value });
    return value;
  }

  const statements = new Map<string, BetterSqlite3.Statement>();
  /** Compiled once: that takes longer than to run it. With `LIMIT :x` SQLite would do it at each call, with `LIMIT +:x` it does not. */
  function prepared(sql: string): BetterSqlite3.Statement {
    let statement = statements.get(sql);
    if (!statement) {
      statement = raw.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function reading<T>(read: () => T): T {
    if (raw.inTransaction) return read();
    prepared('BEGIN').run();
    try {
      return read();
    } finally {
      // Of some errors SQLite has ended it by itself: theirs is the one to be told.
      if (raw.inTransaction) prepared('COMMIT').run();
    }
  }

  return {
    get: <T>(sql: string, params: Params = {}) => prepared(sql).get(params) as T | undefined,
    all: <T>(sql: string, params: Params = {}) => prepared(sql).all(params) as T[],
    run: (sql, params = {}) => prepared(sql).run(params).changes,
    exec: (sql) => raw.exec(sql),
    reading,
    kept,
    close: () => raw.close(),
  };
}
