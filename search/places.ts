/**
 * Which session each turn of the index is of, and whose that is: some bytes a turn, in memory. Where a search
 * looks at a good part of all turns, this costs a fraction of what one more word in the index does.
 */
import type { Db } from '../store/database.ts';

export interface Place {
  agentId: string;
  project: string | null;
  rootId: number;
  /** That were put into the index, also those that have gone since. */
  turns: number;
}

export interface Places {
  sessionOf(turnId: number): number;
  of(sessionId: number): Place | undefined;
  sessions(): Iterable<number>;
  /** Of all sessions together; of an agent's, or, by `projectName`, of those of them in this very folder. */
  turns(): number;
  turnsOf(name: string): number;
  add(turnId: number, sessionId: number): Place;
  /** What is known of it may not be true any more. */
  forget(sessionId: number): void;
}

/** Two agents may work on one project; what they say there is not each other's. */
export const projectName = (agentId: string, project: string) => `${agentId}\n${project}`;

const fewest = 65_536;

/** `watermark`: turns up to this id are in the index already. */
export function createPlaces(main: Db, watermark: number): Places {
  let sessions = new Int32Array(Math.max(fewest, Math.ceil(watermark * 1.2)));
  const places = new Map<number, Place>();
  const counts = new Map<string, number>();
  let all = 0;

  function count({ agentId, project }: Place, turns: number): void {
    const names = project === null ? [agentId] : [agentId, projectName(agentId, project)];
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + turns);
    all += turns;
  }

  function read(sessionId: number, turns: number): Place {
    const row = main.get<Omit<Place, 'turns'>>(placeSql, { sessionId });
    const place = { agentId: '', project: null, rootId: sessionId, ...row, turns };
    places.set(sessionId, place);
    return place;
  }

  function add(turnId: number, sessionId: number): Place {
    if (turnId >= sessions.length) {
      const longer = new Int32Array(Math.ceil(turnId * 1.5));
      longer.set(sessions);
      sessions = longer;
    }
    const place = places.get(sessionId) ?? read(sessionId, 0);
    // One that is put in again is not one more.
    if (sessions[turnId] === sessionId) return place;
    sessions[turnId] = sessionId;
    place.turns += 1;
    count(place, 1);
    return place;
  }

  // By session, as the store's index has them: a fifth of the time that a row for each turn takes.
  const rows = watermark > 0 ? main.all<{ id: number; turns: string }>(turnsSql) : [];
  for (const { id, turns } of rows) {
    for (const turn of turns.split(',')) if (Number(turn) <= watermark) add(Number(turn), id);
  }

  return {
    sessionOf: (turnId) => sessions[turnId] ?? 0,
    of: (sessionId) => places.get(sessionId),
    sessions: () => places.keys(),
    turns: () => all,
    turnsOf: (name) => counts.get(name) ?? 0,
    add,
    forget(sessionId) {
      const known = places.get(sessionId);
      if (known === undefined) return;
      count(known, -known.turns);
      count(read(sessionId, known.turns), known.turns);
    },
  };
}

const placeSql = `SELECT agent_id AS agentId, project, ifnull(root_session_id, s.id) AS rootId
  FROM sessions s LEFT JOIN lineage l ON l.session_id = s.id WHERE s.id = :sessionId`;

const turnsSql =
  'SELECT session_id AS id, group_concat(id) AS turns FROM turns GROUP BY session_id';
