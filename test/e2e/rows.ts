/** A look into a home's database beside the server, for what no operation shows. */
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

export function rows<T = Record<string, unknown>>(
  home: string,
  sql: string,
  ...values: unknown[]
): T[] {
  const db = new BetterSqlite3(join(home, 'main.db'), { readonly: true });
  try {
    return db.prepare(sql).all(...values) as T[];
  } finally {
    db.close();
  }
}

/** How often a process was given to this invocation. */
export const runsOf = (home: string, id: string): number =>
  rows<{ n: number }>(home, 'SELECT count(*) AS n FROM runs WHERE invocation_id = ?', id)[0]!.n;

/** How much there is of all that a request could have written. */
export function counts(home: string): Record<string, number> {
  const tables = ['subagent_sessions', 'sessions', 'lineage', 'turns', 'mailbox', 'runs'];
  return Object.fromEntries(
    tables.map((table) => [
      table,
      rows<{ n: number }>(home, `SELECT count(*) AS n FROM ${table}`)[0]!.n,
    ]),
  );
}
