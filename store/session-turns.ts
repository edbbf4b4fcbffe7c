/** The turns of a session with all that is kept of each. */
import type { SessionTurn, ExportedTurn } from '../contract/transcripts.ts';
import type { TurnRole, TurnSource } from '../contract/words.ts';
import type { Db } from './database.ts';
import { withinBytes } from './page.ts';
import { readingPlaces } from './reading-places.ts';

interface WholeRow {
  seq: number;
  role: TurnRole;
  at: string;
  text: string;
  raw: string | null;
  tools: string | null;
  source: TurnSource | null;
  extra: string | null;
  invocation_id: string | null;
  run_no: number | null;
  late: number;
}

export interface TurnPage {
  rows: WholeRow[];
  hasMore: boolean;
}

/** At least one, where there is one, and not much more than so many bytes. */
export function pageOfTurns(
  db: Db,
  sessionId: number,
  { after, limit, bytesMax }: { after: number; limit: number; bytesMax: number },
): TurnPage {
  const found = db.all<{ seq: number; bytes: number }>(
    `SELECT seq, octet_length(text) + coalesce(octet_length(raw), 0)
            + coalesce(octet_length(tools), 0) + coalesce(octet_length(extra), 0) AS bytes
     FROM turns WHERE session_id = :sessionId AND seq > :after ORDER BY seq LIMIT +:limit`,
    { sessionId, after, limit: limit + 1 },
  );
  const page = withinBytes(found.slice(0, limit), bytesMax);
  const rows = db.all<WholeRow>(
    `SELECT seq, role, at, text, raw, tools, source, extra, invocation_id, run_no, late
     FROM turns WHERE session_id = :sessionId AND seq > :after AND seq <= :last ORDER BY seq`,
    { sessionId, after, last: page.at(-1)?.seq ?? after },
  );
  return { rows, hasMore: page.length < found.length };
}

/** As they are shown: each with where it is read now. */
export function sessionTurns(db: Db, sessionId: number, rows: readonly WholeRow[]): SessionTurn[] {
  const [first = 0, last = first] = [rows[0]?.seq, rows.at(-1)?.seq];
  const placeOf = readingPlaces(db, sessionId, { first, last });
  return rows.map((row) => sessionTurn(row, placeOf(row.seq)));
}

const sessionTurn = (row: WholeRow, place: number | null): SessionTurn => ({
  seq: row.seq,
  place,
  role: row.role,
  at: row.at,
  text: row.text,
  invocationId: row.invocation_id,
  runNo: row.run_no,
  late: row.late === 1,
  tools: row.tools === null ? null : (JSON.parse(row.tools) as SessionTurn['tools']),
  source: row.source,
});

export const exportedTurn = (row: WholeRow): ExportedTurn => ({
  seq: row.seq,
  role: row.role,
  at: row.at,
  text: row.text,
  raw: row.raw,
  tools: row.tools === null ? null : (JSON.parse(row.tools) as ExportedTurn['tools']),
  source: row.source,
  extra: row.extra === null ? null : (JSON.parse(row.extra) as ExportedTurn['extra']),
});
