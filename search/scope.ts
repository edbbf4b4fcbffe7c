/** Whose turns a query looks at, in two forms: for FTS5, and for a turn at hand. Numbers of our own, never a caller's words. */
import type { SearchScope } from '../contract/search.ts';
import { isBelow, within } from '../domain/is-below.ts';
import { projectName, type Place, type Places } from './places.ts';
import type { ScopeNames } from './scope-names.ts';

export interface Reach {
  /** An expression for FTS5. It fits more where it is not exact. */
  match: string;
  isExact: boolean;
  includes(sessionId: number): boolean;
  /** How many turns of the index are looked at; and of all there are, which part: 0 to 1. */
  turns: number;
  share: number;
}

/** Null where nothing can be found. */
export function reachOf(names: ScopeNames, places: Places, scope: SearchScope): Reach | null {
  const matched = scopeMatch(names, scope);
  if (matched === null) return null;
  const includes = createTest(places, scope);
  const turns = countTurns(names, places, scope, includes);
  const all = { ...matched, includes, turns, share: turns / Math.max(1, places.turns()) };
  return scope.withoutId === null ? all : leaveOut(all, places, [scope.withoutId]);
}

/** The same but for these sessions. */
export function leaveOut(reach: Reach, places: Places, sessionIds: readonly number[]): Reach {
  const ids = new Set(sessionIds.filter((id) => reach.includes(id)));
  if (ids.size === 0) return reach;
  const turns = reach.turns - turnsIn(places, ids);
  return {
    ...reach,
    match: `(${reach.match} NOT scope : (${anyOf('s', [...ids])}))`,
    includes: (sessionId) => reach.includes(sessionId) && !ids.has(sessionId),
    turns,
    share: turns / Math.max(1, places.turns()),
  };
}

function createTest(places: Places, scope: SearchScope): Reach['includes'] {
  const { agentId, project, sessionIds, rootId } = scope;
  const ids = sessionIds && new Set(sessionIds);
  return (sessionId) => {
    const place = places.of(sessionId);
    return (
      place !== undefined &&
      place.agentId === agentId &&
      isInProject(place.project, project) &&
      (ids === null || ids.has(sessionId)) &&
      (rootId === null || place.rootId === rootId)
    );
  };
}

/** Of whole agents and projects it is known; there are too many sessions to look at each. */
function countTurns(
  names: ScopeNames,
  places: Places,
  { agentId, project, sessionIds, rootId }: SearchScope,
  includes: Reach['includes'],
): number {
  if (sessionIds !== null) return turnsIn(places, new Set(sessionIds.filter(includes)));
  if (rootId !== null) return turnsIn(places, [...places.sessions()].filter(includes));
  if (project === null) return places.turnsOf(agentId);
  return projectsIn(names, agentId, project).reduce(
    (sum, { name }) => sum + places.turnsOf(name),
    0,
  );
}

function turnsIn(places: Places, sessionIds: Iterable<number>): number {
  let turns = 0;
  for (const id of sessionIds) turns += places.of(id)?.turns ?? 0;
  return turns;
}

/** FTS5 looks for each that is named: where there are more, all that they are among is gone through. */
const namedMax = 500;

function scopeMatch(
  names: ScopeNames,
  { agentId, project, sessionIds, rootId }: SearchScope,
): Pick<Reach, 'match' | 'isExact'> | null {
  const projectIds =
    project === null ? null : projectsIn(names, agentId, project).map(({ id }) => id);
  const named: string[] = [];
  let isExact = true;
  for (const [kind, ids] of [
    ['p', projectIds],
    ['s', sessionIds],
  ] as const) {
    if (ids === null) continue;
    if (ids.length === 0) return null;
    if (ids.length > namedMax) isExact = false;
    else named.push(anyOf(kind, ids));
  }
  const isTree = rootId !== null && (sessionIds === null || !isExact);
  if (isTree) named.push(`"t${rootId}" OR "s${rootId}"`);
  if (named.length === 0) {
    // A session is one agent's, and so are a tree and a project's part of it.
    const id = names.find('agent', agentId);
    if (id === undefined) return null;
    named.push(`"a${id}"`);
  }
  return { match: `scope : (${named.map((one) => `(${one})`).join(' AND ')})`, isExact };
}

const anyOf = (kind: string, ids: readonly number[]) =>
  ids.map((id) => `"${kind}${id}"`).join(' OR ');

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
