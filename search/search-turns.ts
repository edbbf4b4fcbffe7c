/** One search: candidates from the index, their texts from the store, scores, and hits. */
import type { SearchHit, SearchRequest } from '../contract/search.ts';
import type { TurnRole } from '../contract/words.ts';
import type { Db } from '../store/database.ts';
import { findCandidates, type Found, type Frequencies } from './candidates.ts';
import { saidTurns, searchedText } from './catch-up.ts';
import type { IndexFile } from './index-file.ts';
import { readHits } from './hits.ts';
import { isSaid, spansIn, type Stems } from './occurrences.ts';
import type { Lengths } from './lengths.ts';
import { parseQuery, type Query } from './query.ts';
import type { Places } from './places.ts';
import { ownScore, withSurroundings, type Scored, type Weights } from './rank.ts';
import { reachOf } from './scope.ts';
import { scoredMax, type Candidate } from './shortlist.ts';
import { isSure, type Term } from './term.ts';

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
  return readHits(room, request, { ordered: scored, terms: query.terms, weights: found.weights });
}

interface TurnRow {
  id: number;
  session_id: number;
  seq: number;
  role: TurnRole;
  text: string;
}

/** Of all candidates as many as are scored: of some only their text tells that they are not meant. */
function score(room: SearchRoom, query: Query, { candidates, weights }: Found): Scored[] {
  const scored: Scored[] = [];
  for (let at = 0; at < candidates.length && scored.length < scoredMax; at += scoredMax) {
    scored.push(...scoreSome(room, query, candidates.slice(at, at + scoredMax), weights));
  }
  return scored;
}

function scoreSome(
  { main, index, stems }: SearchRoom,
  query: Query,
  candidates: readonly Candidate[],
  weights: readonly number[],
): Scored[] {
  const { turns, chars } = index.state;
  const foundBy = new Map(candidates.map(({ id, terms }) => [id, terms]));
  const rows = main.all<TurnRow>(
    `SELECT id, session_id, seq, role, ${searchedText} AS text FROM ${saidTurns}
     WHERE id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify([...foundBy.keys()]) },
  );
  return rows.flatMap((row) => {
    const { id, role, text } = row;
    if (query.without.some((term) => !isSure(term) && isSaid(text, term, stems))) return [];
    const spans = spansIn(text, query.terms, stems);
    const isMeant = (term: Term, at: number) =>
      isSure(term) || spans[at]!.length > 0 || isSaid(text, term, stems);
    const terms = query.terms.reduce(
      (seen, term, at) => (isMeant(term, at) ? seen : seen & ~(1 << at)),
      foundBy.get(id)!,
    );
    if (terms === 0) return [];
    const meanChars = chars / Math.max(1, turns);
    const own = ownScore({ role, chars: text.length, terms, spans }, weights, meanChars);
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
