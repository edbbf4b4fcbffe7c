/** Whose turns a query looks at, in two forms: for FTS5, and for a turn at hand. Numbers of our own, never a caller's words. */
import type { SearchScope } from '../contract/search.ts';
import type { Place, Places } from './places.ts';
import type { ScopeNames } from './scope-names.ts';

export interface Reach {
  /** An expression for FTS5. */
  match: string;
  includes(turnId: number): boolean;
  /** How many turns of the index are looked at; and of all there are, which part: 0 to 1. */
  turns: number;
  share: number;
}

/** Null where nothing can be found. */
export function reachOf(names: ScopeNames, places: Places, scope: SearchScope): Reach | null {
  const match = scopeMatch(names, scope);
  if (match === null) return null;
  const sessionIds = scope.sessionIds && new Set(scope.sessionIds);
  const isIn = (sessionId: number, place: Place) =>
    place.agentId === scope.agentId &&
    (scope.project === null || place.project === scope.project) &&
    (sessionIds === null || sessionIds.has(sessionId)) &&
    (scope.rootId === null || place.rootId === scope.rootId) &&
    sessionId !== scope.withoutId;
  let turns = 0;
  for (const sessionId of sessionIds ?? places.sessions()) {
    const place = places.of(sessionId);
    if (place !== undefined && isIn(sessionId, place)) turns += place.turns;
  }
  return {
    match,
    turns,
    share: turns / Math.max(1, places.turns()),
    includes(turnId) {
      const sessionId = places.sessionOf(turnId);
      const place = places.of(sessionId);
      return place !== undefined && isIn(sessionId, place);
    },
  };
}

function scopeMatch(names: ScopeNames, scope: SearchScope): string | null {
  const all: string[] = [];
  // A session is one agent's, and so is a tree.
  if (scope.sessionIds === null && scope.rootId === null) {
    const agent = names.find('agent', scope.agentId);
    if (agent === undefined) return null;
    all.push(`"a${agent}"`);
  }
  if (scope.project !== null) {
    const project = names.find('project', scope.project);
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
