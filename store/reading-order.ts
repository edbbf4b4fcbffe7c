/** The order in which the turns of a session are read, where that is not the one in which they came. */
import type { TurnRole } from '../contract/words.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

/** The last range of a session is open: it takes what comes. */
export interface TurnRange {
  from: number;
  to: number;
}

interface PlacedRange extends TurnRange {
  place: number;
}

export const everyTurn = Number.MAX_SAFE_INTEGER;
const rangeColumns = `place, from_seq AS "from", coalesce(to_seq, ${everyTurn}) AS "to"`;
/** All turns as they came, unless a program has gone back or told something later than it was said. */
const asTheyCame: PlacedRange = { place: 0, from: 1, to: everyTurn };

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

/** Who reads the end of a session has mostly enough of it with the first page. */
const pageRows = 32;

/** From the last range on, as far as somebody goes on reading: a long session may have any number of them. */
export function* rangesFromEnd(db: Db, sessionId: number): Generator<TurnRange> {
  for (let place = everyTurn; ;) {
    const page = db.all<PlacedRange>(
      `SELECT ${rangeColumns} FROM turn_order WHERE session_id = :sessionId AND place < :place
       ORDER BY place DESC LIMIT ${pageRows}`,
      { sessionId, place },
    );
    if (page.length === 0 && place === everyTurn) yield asTheyCame;
    yield* page;
    if (page.length < pageRows) return;
    place = page.at(-1)!.place;
  }
}

/** What came after some turn. */
export interface LaterRange extends TurnRange {
  /** It is read before a turn that was there already. */
  isLate: boolean;
}

/** All that came after this turn, from what is read last on; what is late comes last. After none all that is there. */
export function* rangesAfter(
  db: Db,
  sessionId: number,
  after: number,
): Generator<LaterRange, void, undefined> {
  if (after === 0) {
    for (const range of rangesFromEnd(db, sessionId)) yield { ...range, isLate: false };
    return;
  }
  if (isAsItCame(db, sessionId)) {
    yield { from: after + 1, to: everyTurn, isLate: false };
    return;
  }
  const found = rangesEndingAfter(db, sessionId, after);
  let isLate = false;
  for (const [at, { place, from, to }] of found.entries()) {
    yield { from: Math.max(from, after + 1), to, isLate };
    // Places have no gaps: where the one before is missing here, that range was there already.
    isLate ||= from <= after || found[at + 1]?.place !== place - 1;
  }
}

/** By their ends, which have an index: few have come since. For the open one SQLite would go through all. */
function rangesEndingAfter(db: Db, sessionId: number, after: number): PlacedRange[] {
  const found = db.all<PlacedRange>(
    `SELECT ${rangeColumns} FROM turn_order WHERE session_id = :sessionId AND to_seq > :after
     UNION ALL
     SELECT ${rangeColumns} FROM turn_order INDEXED BY turn_order_by_end
     WHERE session_id = :sessionId AND to_seq IS NULL`,
    { sessionId, after },
  );
  return found.toSorted((a, b) => b.place - a.place);
}

/** The last one, so it is not looked for among all. */
const openRange = (db: Db, sessionId: number): PlacedRange =>
  db.get(
    `SELECT ${rangeColumns} FROM turn_order WHERE session_id = :sessionId AND to_seq IS NULL
     ORDER BY place DESC LIMIT 1`,
    { sessionId },
  ) ?? asTheyCame;

export interface ReadTurn {
  seq: number;
  role: TurnRole;
  text: string;
  /** The line of a turn about the session. Of one that was said only whether it has one: that may be long. */
  raw: string | null;
  source: string | null;
}

/** Whether what came last is what is read last. */
export const isAsItCame = (db: Db, sessionId: number): boolean =>
  db.get('SELECT 1 FROM turn_order WHERE session_id = :sessionId LIMIT 1', { sessionId }) ===
  undefined;

/** The last so many turns, in the order in which they are read. */
export function lastTurns(db: Db, sessionId: number, limit: number): ReadTurn[] {
  const rows: ReadTurn[] = [];
  for (const { from, to } of rangesFromEnd(db, sessionId)) {
    if (rows.length >= limit) break;
    const found = db.all<ReadTurn>(
      `SELECT ${readColumns} FROM turns
       WHERE session_id = :sessionId AND seq BETWEEN :from AND :to ORDER BY seq DESC LIMIT +:left`,
      { sessionId, from, to, left: limit - rows.length },
    );
    // One by one: as arguments of one call more than a hundred thousand have no room.
    for (const row of found) rows.push(row);
  }
  return rows.toReversed();
}

interface Tail {
  /** What was said, as it is read from now on: behind all that is not touched. */
  order: readonly number[];
  /** Turns whose places are theirs no more. */
  touched: ReadonlySet<number>;
  /** Among these is the one of them that was read first. */
  firstOf: readonly number[];
}

/**
 * Keeps the order of what was said; turns about the session go with what was said before them. What is read before
 * the first turn that is touched stays as it is: a hook must not cost more in a longer session.
 */
export function keepTail(tx: Tx, sessionId: number, { order, touched, firstOf }: Tail): void {
  const { db } = tx;
  const { last_seq: last } = db.get<{ last_seq: number }>(
    'SELECT last_seq FROM sessions WHERE id = :sessionId',
    { sessionId },
  )!;
  const cut = firstPlace(db, sessionId, [...firstOf, last + 1]);
  // With the range before: what comes now may go on from it.
  const kept = rangesFrom(db, sessionId, cut.place - 1);
  const { before, units } = unitsOf(db, sessionId, kept, cut, last);
  const stay = [...units.keys()].filter((seq) => !touched.has(seq));
  const ranges: TurnRange[] = [];
  const add = ({ from, to }: TurnRange) => {
    const end = ranges.at(-1);
    if (end && end.to + 1 === from) end.to = Math.max(end.to, to);
    else if (from <= to) ranges.push({ from, to });
  };
  before.forEach(add);
  for (const seq of [...stay, ...order]) {
    const unit = units.get(seq) ?? [{ from: seq, to: endOf(db, sessionId, seq, last) }];
    unit.forEach(add);
  }
  const start = kept[0]!.place;
  tx.db.run('DELETE FROM turn_order WHERE session_id = :sessionId AND place >= :start', {
    sessionId,
    start,
  });
  const [first = { from: 1, to: 0 }, second] = ranges;
  if (start === 0 && !second && first.from === 1 && first.to === last) return;
  ranges.forEach(({ from, to }, index) => addRange(tx, sessionId, start + index, from, to));
  addRange(tx, sessionId, start + ranges.length, last + 1, null);
}

interface Place {
  place: number;
  seq: number;
}

/** What is read before the cut, and each turn that was said from there on, with all that is read behind it. */
function unitsOf(
  db: Db,
  sessionId: number,
  kept: readonly PlacedRange[],
  cut: Place,
  last: number,
): { before: TurnRange[]; units: Map<number, TurnRange[]> } {
  const before: TurnRange[] = [];
  const units = new Map<number, TurnRange[]>();
  let unit = before;
  for (const { place, from, to } of kept) {
    const said =
      place < cut.place ? [] : saidIn(db, sessionId, place === cut.place ? cut.seq : from, to);
    const ends = [...said, Math.min(to, last) + 1].map((next) => next - 1);
    unit.push({ from, to: ends[0]! });
    said.forEach((seq, index) => {
      unit = [{ from: seq, to: ends[index + 1]! }];
      units.set(seq, unit);
    });
  }
  return { before, units };
}

/** The one that is read first, with its place; what was said in a branch that was left has none. */
function firstPlace(db: Db, sessionId: number, seqs: readonly number[]): Place {
  const found = seqs.flatMap((seq) => {
    const range = rangeUpFrom(db, sessionId, seq);
    return range.from <= seq ? [{ place: range.place, seq }] : [];
  });
  return found.toSorted((a, b) => a.place - b.place || a.seq - b.seq)[0]!;
}

/** The range that has this turn, or else the next one by number. */
const rangeUpFrom = (db: Db, sessionId: number, seq: number): PlacedRange =>
  db.get<PlacedRange>(
    `SELECT ${rangeColumns} FROM turn_order WHERE session_id = :sessionId AND to_seq >= :seq
     ORDER BY to_seq LIMIT 1`,
    { sessionId, seq },
  ) ?? openRange(db, sessionId);

function rangesFrom(db: Db, sessionId: number, place: number): PlacedRange[] {
  const found = db.all<PlacedRange>(
    `SELECT ${rangeColumns} FROM turn_order WHERE session_id = :sessionId AND place >= :place
     ORDER BY place`,
    { sessionId, place },
  );
  return found.length === 0 ? [asTheyCame] : found;
}

/** What `trim()` takes away in JavaScript; in SQL it would be the space alone. */
const blanks =
  ' \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff' +
  '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

/** In SQL, as domain/said-keys.ts says it. Most turns begin with no blank: `trim` would copy each of them. */
export const wasSaid = `role <> 'mark' AND (ifnull(unicode(text), 0) BETWEEN 33 AND 159
  OR trim(text, '${blanks}') <> '')`;

/** Of a `ReadTurn`. */
export const readColumns = `seq, role, text, source,
  CASE WHEN raw IS NOT NULL AND ${wasSaid} THEN '' ELSE raw END AS raw`;

/** What was said between these two, both of them included. */
const saidIn = (db: Db, sessionId: number, from: number, to: number): number[] =>
  db
    .all<{ seq: number }>(
      `SELECT seq FROM turns WHERE session_id = :sessionId AND seq BETWEEN :from AND :to
         AND ${wasSaid} ORDER BY seq`,
      { sessionId, from, to },
    )
    .map(({ seq }) => seq);

/** What is about the session goes with what was said before it, but for what is read elsewhere already. */
function endOf(db: Db, sessionId: number, seq: number, last: number): number {
  const next = db.get<{ seq: number }>(
    `SELECT seq FROM turns WHERE session_id = :sessionId AND seq > :seq AND ${wasSaid}
     ORDER BY seq LIMIT 1`,
    { sessionId, seq },
  );
  const end = next === undefined ? last : next.seq - 1;
  const { from } = rangeUpFrom(db, sessionId, seq);
  return from > seq ? Math.min(end, from - 1) : end;
}

function addRange(tx: Tx, sessionId: number, place: number, from: number, to: number | null) {
  tx.db.run(
    `INSERT INTO turn_order (session_id, place, from_seq, to_seq)
     VALUES (:sessionId, :place, :from, :to)`,
    { sessionId, place, from, to },
  );
}
