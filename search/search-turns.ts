/** One search: candidates from the index, their texts from the store, scores, and hits as they are shown. */
import { limits } from '../contract/limits.ts';
import type { SearchHit, SearchRequest, SearchScope } from '../contract/search.ts';
import type { TurnRole } from '../contract/words.ts';
import { redact } from '../domain/redact.ts';
import type { Db } from '../store/database.ts';
import { readingPlaces } from '../store/reading-places.ts';
import { findCandidates, type Found, type Frequencies } from './candidates.ts';
import { saidTurns, searchedText } from './catch-up.ts';
import { cutExcerpt } from './excerpt.ts';
import { fold } from './fold.ts';
import type { IndexFile } from './index-file.ts';
import { isSaid, occurrences, type Span, type Stems } from './occurrences.ts';
import type { Lengths } from './lengths.ts';
import { parseQuery, type Query } from './query.ts';
import type { Places } from './places.ts';
import { ownScore, withSurroundings, type Scored, type Weights } from './rank.ts';
import { isInProject, reachOf } from './scope.ts';
import { isSure } from './term.ts';

export interface SearchRoom {
  /** To read only. */
  main: Db;
  index: IndexFile;
  frequencies: Frequencies;
  stems: Stems;
  places: Places;
  lengths: Lengths;
  weights: Weights;
}

export function searchTurns(room: SearchRoom, request: SearchRequest): SearchHit[] {
  const query = parseQuery(request.query);
  const { names, state } = room.index;
  const reach = reachOf(names, room.places, request.scope);
  if (query.terms.length === 0 || reach === null) return [];
  const sessions = request.bySession ? request.limit : null;
  const found = findCandidates(room, query, { reach, turns: state.turns, sessions });
  const scored = score(room, query, found);
  scored.push(...beside(room, query, scored));
  withSurroundings(scored, room.weights);
  scored.sort((a, b) => b.score - a.score || b.id - a.id);
  return readHits(room, scored, query, found.weights, request);
}

interface TurnRow {
  id: number;
  session_id: number;
  seq: number;
  role: TurnRole;
  text: string;
}

function score({ main, index, stems }: SearchRoom, query: Query, found: Found): Scored[] {
  const { turns, chars } = index.state;
  const foundBy = new Map(found.candidates.map(({ id, terms }) => [id, terms]));
  const rows = main.all<TurnRow>(
    `SELECT id, session_id, seq, role, ${searchedText} AS text FROM ${saidTurns}
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify([...foundBy.keys()]) },
  );
  return rows.flatMap((row) => {
    const { id, role } = row;
    const bits = foundBy.get(id)!;
    if (query.without.some((term) => !isSure(term) && isSaid(row.text, term, stems))) return [];
    const spans = spansIn(row.text, query, stems);
    const isMeant = (at: number) =>
      spans[at]!.length > 0 ||
      isSure(query.terms[at]!) ||
      isSaid(row.text, query.terms[at]!, stems);
    const terms = spans.reduce((seen, _, at) => (isMeant(at) ? seen : seen & ~(1 << at)), bits);
    if (terms === 0) return [];
    const own = ownScore(
      { role, chars: row.text.length, terms, spans },
      found.weights,
      chars / Math.max(1, turns),
    );
    return [{ id, sessionId: row.session_id, seq: row.seq, terms, spans, own, score: own }];
  });
}

/** A question of so many words may be answered in none of them, right beside a turn that has them. */
const questionTermsMin = 3;
/** Of so many of the best turns it is worth a look. */
const besideMax = 20;

/** The turns right before and after the best ones, with no score of their own. */
function beside({ main }: SearchRoom, query: Query, scored: Scored[]): Scored[] {
  const hard = query.terms.filter((term) => !term.isSoft);
  if (hard.length < questionTermsMin || query.without.length > 0) return [];
  // Where one turn holds all of it, that is what was looked for.
  const isWhole = hard.reduce((bits, term) => bits | (1 << query.terms.indexOf(term)), 0);
  if (scored.some(({ terms }) => (terms & isWhole) === isWhole)) return [];
  const known = new Set(scored.map(({ id }) => id));
  const found: Scored[] = [];
  for (const turn of scored.toSorted((a, b) => b.own - a.own).slice(0, besideMax)) {
    const params = { session: turn.sessionId, seq: turn.seq };
    for (const sql of [nextSql, previousSql]) {
      const row = main.get<{ id: number; seq: number }>(sql, params);
      if (row === undefined || known.has(row.id)) continue;
      known.add(row.id);
      const spans = query.terms.map(() => []);
      found.push({ ...row, sessionId: turn.sessionId, terms: 0, spans, own: 0, score: 0 });
    }
  }
  return found;
}

const nextSql = `SELECT id, seq FROM turns WHERE session_id = :session AND seq > :seq AND seq < :seq + 8
  AND role IN ('user', 'assistant', 'callback') ORDER BY seq LIMIT 1`;
const previousSql = `SELECT id, seq FROM turns WHERE session_id = :session AND seq < :seq AND seq > :seq - 8
  AND role IN ('user', 'assistant', 'callback') ORDER BY seq DESC LIMIT 1`;

function spansIn(text: string, query: Query, stems: Stems): Span[][] {
  const searched = { text, folded: fold(text) };
  return query.terms.map((term) => occurrences(searched, term, stems));
}

interface HitRow {
  session_id: number;
  session_key: string;
  agent_id: string;
  project: string | null;
  updated_at: string;
  role: TurnRole;
  at: string;
  text: string;
  turn: number;
}

const hitSql = `
  SELECT t.session_id, s.session_key, s.agent_id, s.project, s.updated_at, t.role, t.at, t.text,
         t.seq - (SELECT count(*) FROM turns m
                  WHERE m.session_id = t.session_id AND m.role = 'mark' AND m.seq <= t.seq) AS turn
  FROM ${saidTurns} t JOIN sessions s ON s.id = t.session_id WHERE t.id = :id`;

/** As many as are wanted: each turn again, whole, with its session and a second look at whose it is. */
function readHits(
  { main, stems }: SearchRoom,
  ordered: Scored[],
  query: Query,
  weights: readonly number[],
  { limit, bySession, scope }: SearchRequest,
): SearchHit[] {
  const hits: SearchHit[] = [];
  const sessions = new Set<number>();
  // A later summary has the earlier one in it, and a program may tell one twice: by a hook and in its transcript.
  const summedUp = new Set<number>();
  for (const turn of ordered) {
    if (hits.length >= limit) break;
    if (bySession && sessions.has(turn.sessionId)) continue;
    const row = main.get<HitRow>(hitSql, { id: turn.id });
    if (row === undefined || !isWithin(row, scope)) continue;
    if (row.role === 'mark' && summedUp.has(turn.sessionId)) continue;
    if (row.role === 'mark') summedUp.add(turn.sessionId);
    sessions.add(turn.sessionId);
    // As it is shown: whole, and without what must not be told.
    const text = redact(row.text);
    const isSame = text === row.text && text.length <= limits.searchedCharsMax;
    const spans = isSame ? turn.spans : spansIn(text, query, stems);
    const excerpt = cutExcerpt(text, spans, weights);
    hits.push({
      sessionKey: row.session_key,
      project: row.project,
      updatedAt: row.updated_at,
      excerpt: excerpt.text,
      rank: -turn.score,
      seq: turn.seq,
      place: placeOf(main, turn),
      turn: row.turn,
      role: row.role,
      at: row.at,
      offsets: excerpt.offsets,
    });
  }
  return hits;
}

const placeOf = (main: Db, { sessionId, seq }: Scored) =>
  readingPlaces(main, sessionId, { first: seq, last: seq })(seq);

/** The index says so already; that nothing foreign is shown must not hang on the index alone. */
function isWithin(row: HitRow, scope: SearchScope): boolean {
  return (
    row.agent_id === scope.agentId &&
    isInProject(row.project, scope.project) &&
    (scope.sessionIds === null || scope.sessionIds.includes(row.session_id)) &&
    row.session_id !== scope.withoutId
  );
}
