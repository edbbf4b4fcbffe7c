/** Hits as they are shown: whose, where, when, and the piece of the turn that shows why. */
import { limits } from '../contract/limits.ts';
import type { SearchHit, SearchRequest, SearchScope } from '../contract/search.ts';
import type { TurnRole } from '../contract/words.ts';
import { redact } from '../domain/redact.ts';
import type { Db } from '../store/database.ts';
import { readingPlaces } from '../store/reading-places.ts';
import { saidTurns } from './catch-up.ts';
import { cutExcerpt } from './excerpt.ts';
import { spansIn, type Stems } from './occurrences.ts';
import type { Scored } from './rank.ts';
import { isInProject } from './scope.ts';
import type { Term } from './term.ts';

interface Ranked {
  /** The best first. */
  ordered: readonly Scored[];
  terms: readonly Term[];
  weights: readonly number[];
}

/** As many as are wanted: each turn again, whole, with its session and a second look at whose it is. */
export function readHits(
  { main, stems }: { main: Db; stems: Stems },
  { limit, bySession, scope }: SearchRequest,
  { ordered, terms, weights }: Ranked,
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
    const spans = isSame ? turn.spans : spansIn(text, terms, stems);
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
