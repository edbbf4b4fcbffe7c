/** Whose turns a query looks at, in two forms: for FTS5, and for a turn at hand. Numbers of our own, never a caller's words. */
import type { SearchScope } from '../contract/search.ts';
import { isBelow, within } from '../domain/is-below.ts';
import { projectName, type Place, type Places } from './places.ts';
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
  const isIn = createTest(scope);
  const turns = countTurns(names, places, scope, isIn);
  return {
    match,
    turns,
    share: turns / Math.max(1, places.turns()),
    includes(turnId) {
      const sessionId = places.sessionOf(turnId);
      return isIn(sessionId, places.of(sessionId));
    },
  };
}

type Test = (sessionId: number, place: Place | undefined) => boolean;

function createTest({ agentId, project, sessionIds, rootId, withoutId }: SearchScope): Test {
  const ids = sessionIds && new Set(sessionIds);
  return (sessionId, place) =>
    place !== undefined &&
    place.agentId === agentId &&
    isInProject(place.project, project) &&
    (ids === null || ids.has(sessionId)) &&
    (rootId === null || place.rootId === rootId) &&
    sessionId !== withoutId;
}

/** Of whole agents and projects it is known; there are too many sessions to look at each. */
function countTurns(names: ScopeNames, places: Places, scope: SearchScope, isIn: Test): number {
  const { agentId, project, sessionIds, rootId, withoutId } = scope;
  const turnsIn = (ids: Iterable<number>, test: Test) => {
    let turns = 0;
    for (const id of ids) if (test(id, places.of(id))) turns += places.of(id)!.turns;
    return turns;
  };
  if (sessionIds !== null) return turnsIn(sessionIds, isIn);
  if (rootId !== null) return turnsIn(places.sessions(), isIn);
  const all =
    project === null
      ? places.turnsOf(agentId)
      : projectsIn(names, agentId, project).reduce(
          (sum, { name }) => sum + places.turnsOf(name),
          0,
        );
  if (withoutId === null) return all;
  return all - turnsIn([withoutId], createTest({ ...scope, withoutId: null }));
}

function scopeMatch(names: ScopeNames, scope: SearchScope): string | null {
  const { agentId, project, sessionIds, rootId, withoutId } = scope;
  const all: string[] = [];
  if (project !== null) {
    const ids = projectsIn(names, agentId, project).map(({ id }) => `"p${id}"`);
    if (ids.length === 0) return null;
    all.push(`(${ids.join(' OR ')})`);
  } else if (sessionIds === null && rootId === null) {
    // A session is one agent's, and so are a tree and a project's part of it.
    const id = names.find('agent', agentId);
    if (id === undefined) return null;
    all.push(`"a${id}"`);
  }
  if (sessionIds !== null) {
    if (sessionIds.length === 0) return null;
    all.push(`(${sessionIds.map((id) => `"s${id}"`).join(' OR ')})`);
  }
  if (rootId !== null) all.push(`("t${rootId}" OR "s${rootId}")`);
  const match = `scope : (${all.join(' AND ')})`;
  return withoutId === null ? match : `(${match} NOT scope : "s${withoutId}")`;
}

/** What a turn's row in the index says of whose it is; `scopeMatch` asks for it. */
export function scopeTokens(names: ScopeNames, sessionId: number, place: Place): string {
  const { agentId, project, rootId } = place;
  const tokens = [`a${names.give('agent', agentId)}`, `s${sessionId}`];
  if (project !== null) tokens.push(`p${names.give('project', projectName(agentId, project))}`);
  // Most sessions are nobody's children, and then their root is said by their own number.
  if (rootId !== sessionId) tokens.push(`t${rootId}`);
  return tokens.join(' ');
}

/** The folder that is asked for, and those below it. */
export function isInProject(folder: string | null, project: string | null): boolean {
  return project === null || folder === project || (folder !== null && isBelow(project, folder));
}

const projectsIn = (names: ScopeNames, agentId: string, project: string) =>
  names.from('project', projectName(agentId, project), projectName(agentId, within(project)));
