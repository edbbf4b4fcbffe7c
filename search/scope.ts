/** The part of a query that says whose turns are looked at. Numbers of our own, never a caller's words. */
import type BetterSqlite3 from 'better-sqlite3';
import type { SearchScope } from '../contract/search.ts';
import { findScope } from './catch-up.ts';

/** An expression for FTS5; null where nothing can be found. */
export function scopeMatch(db: BetterSqlite3.Database, scope: SearchScope): string | null {
  const all: string[] = [];
  // A session is one agent's, and so is a tree.
  if (scope.sessionIds === null && scope.rootId === null) {
    const agent = findScope(db, 'agent', scope.agentId);
    if (agent === undefined) return null;
    all.push(`"a${agent}"`);
  }
  if (scope.project !== null) {
    const project = findScope(db, 'project', scope.project);
    if (project === undefined) return null;
    all.push(`"p${project}"`);
  }
  if (scope.sessionIds !== null) {
    if (scope.sessionIds.length === 0) return null;
    all.push(`(${scope.sessionIds.map((id) => `"s${id}"`).join(' OR ')})`);
  }
  if (scope.rootId !== null) all.push(`"t${scope.rootId}"`);
  const match = `scope : (${all.join(' AND ')})`;
  return scope.withoutId === null ? match : `(${match} NOT scope : "s${scope.withoutId}")`;
}
