/** Small numbers of the index's own for the names of agents and projects, which others have given. */
import type BetterSqlite3 from 'better-sqlite3';

export interface ScopeNames {
  find(kind: ScopeKind, name: string): number | undefined;
  /** This one, and those that begin with `beginning`. */
  from(kind: ScopeKind, name: string, beginning: string): { id: number; name: string }[];
  /** Within a transaction. */
  give(kind: ScopeKind, name: string): number;
}

type ScopeKind = 'agent' | 'project';

/** They never change. A transaction that comes to nothing takes the whole connection with it. */
export function createScopeNames(db: BetterSqlite3.Database): ScopeNames {
  const select = db.prepare('SELECT id FROM scopes WHERE kind = ? AND name = ?').pluck();
  const selectFrom = db.prepare(
    `SELECT id, name FROM scopes WHERE kind = :kind AND name = :name
     UNION SELECT id, name FROM scopes
     WHERE kind = :kind AND name >= :beginning AND name < :beginning || char(0x10FFFF)`,
  );
  const insert = db.prepare('INSERT INTO scopes (kind, name) VALUES (?, ?)');
  const known = new Map<string, number>();

  function find(kind: ScopeKind, name: string): number | undefined {
    const key = `${kind} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const id = select.get(kind, name) as number | undefined;
    if (id !== undefined) known.set(key, id);
    return id;
  }

  return {
    find,
    from: (kind, name, beginning) =>
      selectFrom.all({ kind, name, beginning }) as { id: number; name: string }[],
    give: (kind, name) => find(kind, name) ?? Number(insert.run(kind, name).lastInsertRowid),
  };
}
