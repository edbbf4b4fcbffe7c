/** The order in which the turns of a session are read, where that is not the one in which they came. */
import type { TurnRole } from '../contract/words.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

/** The last range of a session is open: it takes what comes. */
export interface TurnRange {
  from: number;
  to: number;
}

/** All turns as they came, unless a program has gone back or told something later than it was said. */
export function readingOrder(db: Db, sessionId: number): TurnRange[] {
  const ranges = rangesOf(db, sessionId) ?? [[1, null] as const];
  return ranges.map(([from, to]) => ({ from, to: to ?? everyTurn }));
}

/** As they are kept: null where the turns are read as they came. */
export function rangesOf(db: Db, sessionId: number): [number, number | null][] | null {
  const rows = db.all<{ from_seq: number; to_seq: number | null }>(
    'SELECT from_seq, to_seq FROM turn_order WHERE session_id = :sessionId ORDER BY place',
    { sessionId },
  );
  return rows.length === 0 ? null : rows.map((row) => [row.from_seq, row.to_seq]);
}

export function setRanges(
  tx: Tx,
  sessionId: number,
  ranges: readonly (readonly [number, number | null])[] | null,
): void {
  tx.db.run('DELETE FROM turn_order WHERE session_id = :sessionId', { sessionId });
  ranges?.forEach(([from, to], place) => addRange(tx, sessionId, place, from, to));
}

export interface ReadTurn {
  seq: number;
  role: TurnRole;
  text: string;
  raw: string | null;
  source: string | null;
}

export const everyTurn = Number.MAX_SAFE_INTEGER;

/** The last so many turns, in the order in which they are read. */
export function lastTurns(db: Db, sessionId: number, limit: number): ReadTurn[] {
  const rows: ReadTurn[] = [];
  for (const { from, to } of readingOrder(db, sessionId).toReversed()) {
    if (rows.length >= limit) break;
    rows.push(
      ...db.all<ReadTurn>(
        `SELECT seq, role, text, raw, source FROM turns
         WHERE session_id = :sessionId AND seq BETWEEN :from AND :to ORDER BY seq DESC LIMIT :left`,
        { sessionId, from, to, left: limit - rows.length },
      ),
    );
  }
  return rows.toReversed();
}

/** Keeps the order of what was said; turns about the session go with what was said before them. */
export function keepOrder(tx: Tx, sessionId: number, order: readonly number[]): void {
  const said = tx.db
    .all<{
      seq: number;
    }>(`SELECT seq FROM turns WHERE session_id = :sessionId AND ${wasSaid} ORDER BY seq`, {
      sessionId,
    })
    .map((row) => row.seq);
  const after = new Map(said.map((seq, index) => [seq, said[index + 1] ?? null]));
  const ranges: TurnRange[] = [];
  for (const seq of order) {
    const last = ranges.at(-1);
    if (last && after.get(last.to) === seq) last.to = seq;
    else ranges.push({ from: ranges.length === 0 && seq === said[0] ? 1 : seq, to: seq });
  }
  tx.db.run('DELETE FROM turn_order WHERE session_id = :sessionId', { sessionId });
  const end = said.at(-1) ?? 0;
  if (ranges.length === 1 && ranges[0]!.from === 1 && ranges[0]!.to === end) return;
  ranges.forEach((range, place) => addRange(tx, sessionId, place, range.from, range.to));
  const { last_seq: last } = tx.db.get<{ last_seq: number }>(
    'SELECT last_seq FROM sessions WHERE id = :sessionId',
    { sessionId },
  )!;
  addRange(tx, sessionId, ranges.length, last + 1, null);
}

/** In SQL, as domain/merge-entries.ts says it. */
export const wasSaid =
  "role <> 'mark' AND trim(text, ' ' || char(9) || char(10) || char(13)) <> ''";

function addRange(tx: Tx, sessionId: number, place: number, from: number, to: number | null) {
  tx.db.run(
    `INSERT INTO turn_order (session_id, place, from_seq, to_seq)
     VALUES (:sessionId, :place, :from, :to)`,
    { sessionId, place, from, to },
  );
}
