/** What is remembered of a session's transcript as its program keeps it, to find out what is new in it. */
import { isCompaction } from '../domain/compaction.ts';
import { mergeEntries, type Known, type KnownTurn, type Merged } from '../domain/merge-entries.ts';
import { isSaid, ofDoubtfulId } from '../domain/said-keys.ts';
import type { Chain } from '../domain/transcript-chain.ts';
import type { TranscriptEntry } from '../contract/transcript.ts';
import {
  everyTurn,
  isAsItCame,
  keepTail,
  lastTurns,
  readColumns,
  wasSaid,
  type ReadTurn,
} from './reading-order.ts';
import type { SessionRow } from './sessions.ts';
import { beginContext } from './context-epoch.ts';
import { appendTurn, appendTurns, type NewTurnOfMany } from './turns.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

export interface SnapshotState {
  chain: Chain;
  /** Bytes of its last entry: that may have grown. Null where they could not be counted. */
  lastEntryBytes: number | null;
  /** The turn that its last said entry is; 0 where there is none. */
  seq: number;
  /** Device and inode of the file that it was read from. */
  file: string | null;
  /** It begins behind what was reported before. */
  isPart: boolean;
}

export const snapshotOf = (session: SessionRow): SnapshotState | null =>
  session.snapshot === null ? null : (JSON.parse(session.snapshot) as SnapshotState);

export function keepSnapshot(tx: Tx, sessionId: number, state: SnapshotState): void {
  tx.db.run('UPDATE sessions SET snapshot = :state WHERE id = :sessionId', {
    sessionId,
    state: JSON.stringify(state),
  });
}

export interface Report {
  entries: TranscriptEntry[];
  /** How they stand to the snapshot that is known: right behind it, from its last entry on, or anyhow. */
  follows: 'it' | 'from its last entry' | null;
  /** Names this snapshot, so that what is said of it is said once. */
  name: string;
  /** For entries that say no time. */
  at: string;
  /** The id that a line bears, of those that are known. */
  idOf: (raw: string) => string | null;
}

export interface Added {
  /** The turn that its last said entry is, if any. */
  seq: number | null;
  isPart: boolean;
  /** What is read last now, where this report has brought it. */
  end: ReadTurn | null;
}

/** Lays a report over what is known: appends what is new, and says where it goes another way. */
export function addReport(tx: Tx, session: SessionRow, report: Report): Added {
  const entries = report.entries.filter((entry) => entry.raw.trim() !== '');
  const known = withIds(tx.db, session, knownFor(tx.db, session, entries, report.follows), report);
  const merged = mergeEntries(known, entries);
  if (merged.left.length > 0 || merged.isApart || merged.isShorter) {
    addBranchMark(tx, session, merged, report);
  }
  const fresh = entries.filter((_, index) => merged.turns[index] === null);
  const first = appendTurns(
    tx,
    session.id,
    fresh.map((entry) => turnOf(entry, report.at)),
  );
  if (fresh.some(isCompaction)) beginContext(tx, session.id);
  merged.turns.forEach((turn, index) => {
    if (turn !== null && !turn.isReported) confirm(tx, session.id, turn.seq, entries[index]!);
  });
  const seqs = new Map(fresh.map((entry, index) => [entry, first + index]));
  const seqOf = (index: number) => merged.turns[index]?.seq ?? seqs.get(entries[index]!)!;
  const order = merged.order.map((one) => ('seq' in one ? one.seq : seqOf(one.entry)));
  const natural = [
    ...known.turns.filter(isSaid).map((turn) => turn.seq),
    ...fresh.filter(isSaid).map((entry) => seqs.get(entry)!),
  ];
  if (order.some((seq, index) => seq !== natural[index]) || order.length !== natural.length) {
    reorder(tx, session, known, order);
  }
  const last = entries.findLastIndex(isSaid);
  const end = merged.order.at(-1);
  const isNew = end !== undefined && 'entry' in end;
  return {
    seq: last < 0 ? null : seqOf(last),
    isPart: merged.isPart,
    end: isNew ? readAs(entries[end.entry]!, seqOf(end.entry)) : null,
  };
}

const readAs = ({ role, text }: TranscriptEntry, seq: number): ReadTurn => ({
  ...{ seq, role, text, raw: '', source: 'snapshot' },
});

/** Only what the new entries can touch is read: a hook must not cost more in a longer session. */
const TAIL_TURNS = 200;
const WINDOW_ENTRIES = 50;

function knownFor(
  db: Db,
  session: SessionRow,
  entries: TranscriptEntry[],
  follows: Report['follows'],
): Known {
  const state = snapshotOf(session);
  const wasPart = state?.isPart ?? false;
  if (follows !== null && state !== null) {
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
function withIds(db: Db, session: SessionRow, known: Known, { entries, idOf }: Report): Known {
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

function turnOf(entry: TranscriptEntry, at: string): NewTurnOfMany {
  return {
    role: entry.role,
    text: entry.text,
    at: entry.at ?? at,
    raw: entry.raw,
    source: 'snapshot',
    ...(entry.tools.length > 0 && { tools: JSON.stringify(entry.tools) }),
  };
}

/** What a hook has told is in the transcript, too: from now on the turn has its line. */
function confirm(tx: Tx, sessionId: number, seq: number, entry: TranscriptEntry): void {
  tx.db.run(
    `UPDATE turns SET raw = :raw, tools = :tools
     WHERE session_id = :sessionId AND seq = :seq AND raw IS NULL`,
    {
      sessionId,
      seq,
      raw: entry.raw,
      tools: entry.tools.length > 0 ? JSON.stringify(entry.tools) : null,
    },
  );
}

function addBranchMark(tx: Tx, session: SessionRow, merged: Merged, report: Report): void {
  const after = merged.order.findLast((one) => 'seq' in one);
  const text = merged.isShorter
    ? 'branch: a shorter transcript was reported, and nothing new in it'
    : merged.left.length > 0
      ? `branch: the transcript leaves turn ${merged.left[0]!.seq} and goes another way`
      : `branch: a transcript was reported that has nothing of what is known${after ? '' : ' yet'}`;
  appendTurn(tx, {
    sessionId: session.id,
    role: 'mark',
    text,
    at: report.at,
    src: `branch:${report.name}`,
    source: 'snapshot',
  });
}

/** What is known is the end of what is read; only what came back from elsewhere may have stood before it. */
function reorder(tx: Tx, session: SessionRow, known: Known, order: number[]): void {
  const there = new Set(known.turns.map((turn) => turn.seq));
  const back = order.filter((seq) => !there.has(seq));
  const first = known.turns.find(isSaid);
  keepTail(tx, session.id, {
    order,
    touched: new Set([...there, ...order]),
    firstOf: first === undefined ? back : [first.seq, ...back],
  });
}
