/** What is known of a session that a report of its transcript may tell again. */
import type { TranscriptEntry } from '../contract/transcript.ts';
import type { Known, KnownTurn } from '../domain/merge-entries.ts';
import { isSaid, ofDoubtfulId } from '../domain/said-keys.ts';
import type { Db } from './database.ts';
import {
  everyTurn,
  isAsItCame,
  lastTurns,
  readColumns,
  wasSaid,
  type ReadTurn,
} from './reading-order.ts';
import type { SessionRow } from './sessions.ts';
import type { Report, SnapshotState } from './snapshots.ts';

type Reported = Pick<Report, 'entries' | 'follows' | 'idOf'>;

export function knownTurns(
  db: Db,
  session: SessionRow,
  report: Reported,
  state: SnapshotState | null,
): Known {
  return withIds(db, session, knownFor(db, session, report, state), report);
}

/** Only what the new entries can touch is read: a hook must not cost more in a longer session. */
const TAIL_TURNS = 200;
const WINDOW_ENTRIES = 50;

function knownFor(
  db: Db,
  session: SessionRow,
  { entries, follows }: Reported,
  state: SnapshotState | null,
): Known {
  const wasPart = state?.isPart ?? false;
  if (follows !== null && state !== null && (state.seq > 0 || !hasReported(db, session.id))) {
    const turns = since(db, session, state.seq, follows === 'from its last entry');
    const there = new Set(turns.map((turn) => turn.seq));
    const away = toldOnly(db, session.id, state.seq).filter((turn) => !there.has(turn.seq));
    return { extent: 'since', turns, away, wasPart };
  }
  const isAll =
    entries.length > WINDOW_ENTRIES ||
    session.last_seq <= TAIL_TURNS ||
    beginsLike(db, session.id, entries);
  if (!isAll)
    return {
      extent: 'tail',
      turns: lastTurns(db, session.id, TAIL_TURNS).map(knownTurn),
      away: [],
      wasPart,
    };
  const turns = lastTurns(db, session.id, everyTurn).map(knownTurn);
  return { extent: 'all', turns, away: awayFrom(db, session.id, turns), wasPart };
}

/** Of what may be said again the lines are read, for the ids they bear: mostly there is nothing behind a report. */
function withIds(db: Db, session: SessionRow, known: Known, { entries, idOf }: Reported): Known {
  const reported = [...known.turns, ...known.away].filter((turn) => turn.isReported);
  const doubtful = ofDoubtfulId(reported, entries);
  if (doubtful.length === 0) return known;
  const lines = db.all<{ seq: number; raw: string }>(
    `SELECT seq, raw FROM turns WHERE session_id = :sessionId AND raw IS NOT NULL
       AND seq IN (SELECT value FROM json_each(:seqs))`,
    { sessionId: session.id, seqs: JSON.stringify(doubtful.map((turn) => turn.seq)) },
  );
  const ids = new Map(lines.map(({ seq, raw }) => [seq, idOf(raw)]));
  const withId = (turn: KnownTurn) => ({ ...turn, id: ids.get(turn.seq) ?? null });
  return { ...known, turns: known.turns.map(withId), away: known.away.map(withId) };
}

/** Then a snapshot that says nothing yet was begun anew: what comes behind it may have been reported before. */
const hasReported = (db: Db, sessionId: number): boolean =>
  db.get(
    `SELECT 1 FROM turns WHERE session_id = :sessionId AND raw IS NOT NULL AND ${wasSaid} LIMIT 1`,
    { sessionId },
  ) !== undefined;

/** What is read after the turn with this number, or from it on. */
function since(
  db: Db,
  { id: sessionId, last_seq: last }: SessionRow,
  seq: number,
  isWithIt: boolean,
): KnownTurn[] {
  if (!isWithIt && seq === last && isAsItCame(db, sessionId)) return [];
  for (let limit = 2; ; limit *= 8) {
    const tail = lastTurns(db, sessionId, limit).map(knownTurn);
    const at = tail.findLastIndex((turn) => turn.seq === seq);
    if (at >= 0 || tail.length < limit) return tail.slice(isWithIt ? Math.max(at, 0) : at + 1);
  }
}

/**
 * What only hooks have told: a transcript may tell it now, in its place. By the order in which it came, as a
 * transcript that lags behind may have been told a turn of before, and stand before what was told since.
 */
function toldOnly(db: Db, sessionId: number, seq: number): KnownTurn[] {
  return db.all<ReadTurn>(toldOnlySql, { sessionId, seq }).map(knownTurn);
}

/** Made once, as every hook with a transcript asks it. */
const toldOnlySql = `
  SELECT ${readColumns} FROM turns
  WHERE session_id = :sessionId AND seq >= :seq - ${TAIL_TURNS}
    AND source = 'hook' AND raw IS NULL AND ${wasSaid} ORDER BY seq LIMIT ${TAIL_TURNS}`;

/** The first words of a conversation are behind what its program notes at its beginning. */
const HEAD_TURNS = 50;

function beginsLike(db: Db, sessionId: number, entries: TranscriptEntry[]): boolean {
  const first = entries.find(isSaid);
  const head = db.all<ReadTurn>(
    `SELECT ${readColumns} FROM turns
     WHERE session_id = :sessionId ORDER BY seq LIMIT ${HEAD_TURNS}`,
    { sessionId },
  );
  const said = head.find(isSaid);
  return said?.role === first?.role && said?.text.trim() === first?.text.trim();
}

function awayFrom(db: Db, sessionId: number, turns: KnownTurn[]): KnownTurn[] {
  const there = new Set(turns.map((turn) => turn.seq));
  return db
    .all<ReadTurn>(
      `SELECT ${readColumns} FROM turns
       WHERE session_id = :sessionId AND ${wasSaid} ORDER BY seq`,
      { sessionId },
    )
    .filter((row) => !there.has(row.seq))
    .map(knownTurn);
}

const knownTurn = ({ source: _source, ...row }: ReadTurn): KnownTurn => ({
  ...row,
  isReported: row.raw !== null,
});
