/** What is remembered of a session's transcript as its program keeps it, to find out what is new in it. */
import { isCompaction } from '../domain/compaction.ts';
import { mergeEntries, type Known, type Merged } from '../domain/merge-entries.ts';
import { isSaid } from '../domain/said-keys.ts';
import type { Chain } from '../domain/transcript-chain.ts';
import type { TranscriptEntry } from '../contract/transcript.ts';
import { knownTurns } from './known-turns.ts';
import { keepTail, type ReadTurn } from './reading-order.ts';
import type { SessionRow } from './sessions.ts';
import { beginContext } from './context-epoch.ts';
import { appendTurn, appendTurns, type NewTurnOfMany } from './turns.ts';
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
  const state = snapshotOf(session);
  const known = knownTurns(tx.db, session, { ...report, entries }, state);
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
    isPart: known.extent === 'since' ? state!.isPart : merged.isPart,
    end: isNew ? readAs(entries[end.entry]!, seqOf(end.entry)) : null,
  };
}

const readAs = ({ role, text }: TranscriptEntry, seq: number): ReadTurn => ({
  ...{ seq, role, text, raw: '', source: 'snapshot' },
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
