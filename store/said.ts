/** What was said last in a session, read from its end: never more of a transcript than is asked for. */
import { limits } from '../contract/limits.ts';
import type { SaidTurn } from '../domain/context-block.ts';
import type { Db } from './database.ts';
import {
  rangesAfter,
  rangesFromEnd,
  readColumns,
  wasSaid,
  type ReadTurn,
  type TurnRange,
} from './reading-order.ts';

/** Of a longer turn only so much of either end is read; a key that is cut in two stays out of sight. */
const endCharsMax = 24_000;
const pageRowsMax = 16;
/** Most turns have more. */
const turnChars = 100;

const saidColumns = `
  seq, role, CASE WHEN octet_length(text) <= ${2 * endCharsMax} THEN text END AS text`;
interface SaidRow extends Omit<SaidTurn, 'text'> {
  /** Null where it is that long. */
  text: string | null;
}

/**
 * Made once: a text that is made anew must be looked through to find its statement. Of three words in one list SQLite would
 * make a table for each call.
 */
const saidPage = `
  SELECT ${saidColumns} FROM turns
  WHERE session_id = :sessionId AND seq BETWEEN :low AND :high
    AND (role IN ('user', 'assistant') OR role = 'callback')
  ORDER BY seq DESC LIMIT +:limit`;

/** With the range that it was read in. */
export interface ReadSaid<Range> extends SaidTurn {
  range: Range;
}

/** Of these ranges, the last one first, the turns that hold the last `charsMax` characters; the oldest first. */
export function lastSaid<Range extends TurnRange>(
  db: Db,
  sessionId: number,
  ranges: Iterable<Range>,
  charsMax: number,
): ReadSaid<Range>[] {
  const found: ReadSaid<Range>[] = [];
  let room = charsMax;
  const pageRows = Math.min(pageRowsMax, Math.ceil(charsMax / turnChars));
  for (const range of ranges) {
    const { from: low } = range;
    let high = range.to;
    while (room > 0) {
      const page = db.all<SaidRow>(saidPage, {
        sessionId,
        low,
        high,
        limit: pageRows,
      });
      for (const { seq, role, text: whole } of page) {
        if (room <= 0) break;
        const text = whole ?? bothEnds(db, sessionId, seq);
        found.push({ seq, role, text, range });
        room -= text.length;
      }
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < pageRows || oldest.seq <= low) break;
      high = oldest.seq - 1;
    }
    if (room <= 0) break;
  }
  return found.toReversed();
}

/** The same of all that came after this turn: what is late, and read before turns that were there, at the beginning. */
export const saidAfter = (db: Db, sessionId: number, after: number, charsMax: number) =>
  lastSaid(db, sessionId, rangesAfter(db, sessionId, after), charsMax);

/** The model's last words, if it had the last word: a callback is told once it is known to be read, behind the answer to it. */
export function lastAnswer(db: Db, sessionId: number): string | null {
  for (const { from: low, to: high } of rangesFromEnd(db, sessionId)) {
    const last = db.get<SaidRow>(lastOfEither, { sessionId, low, high });
    if (last === undefined) continue;
    if (last.role !== 'assistant') return null;
    return last.text ?? bothEnds(db, sessionId, last.seq);
  }
  return null;
}

const lastOfEither = `
  SELECT ${saidColumns} FROM turns
  WHERE session_id = :sessionId AND seq BETWEEN :low AND :high AND role IN ('user', 'assistant')
  ORDER BY seq DESC LIMIT 1`;

/** The last turn before all that was said since then, by what they say of their time: nothing of that is hidden. */
export function lastSaidBy(db: Db, session: { id: number; last_seq: number }, at: string): number {
  const { first } = db.get<{ first: number | null }>(
    `SELECT min(seq) AS first FROM turns
     WHERE session_id = :id AND seq > :from AND role <> 'mark' AND at > :at`,
    { id: session.id, from: session.last_seq - limits.digestTurnsMax, at },
  )!;
  return first === null ? session.last_seq : first - 1;
}

/** So many of its newest turns are looked at: what was told in an outage, and more. */
const toldTurnsMax = 5000;

/** What a transcript was the first to tell of what was said between these times. */
export function toldBetween(
  db: Db,
  session: { id: number; last_seq: number },
  [from, to]: readonly [string, string],
): ReadTurn[] {
  return db.all<ReadTurn>(toldBetweenSql, {
    ...{ id: session.id, after: session.last_seq - toldTurnsMax, from, to },
  });
}

const toldBetweenSql = `
  SELECT ${readColumns} FROM turns
  WHERE session_id = :id AND seq > :after AND source = 'snapshot'
    AND at BETWEEN :from AND :to AND ${wasSaid} ORDER BY seq`;

/** The last prompts of the conversation, oldest first, each from its beginning. */
export function lastPrompts(
  db: Db,
  sessionId: number,
  { after, count, charsMax }: { after: number; count: number; charsMax: number },
): string[] {
  const found: string[] = [];
  for (const { from, to } of rangesAfter(db, sessionId, after)) {
    const page = db.all<{ text: string }>(
      `SELECT substr(text, 1, :charsMax) AS text FROM turns
       WHERE session_id = :sessionId AND seq BETWEEN :low AND :high AND role = 'user'
       ORDER BY seq DESC LIMIT +:limit`,
      {
        sessionId,
        low: from,
        high: to,
        charsMax,
        limit: count - found.length,
      },
    );
    found.push(...page.map(({ text }) => text));
    if (found.length >= count) break;
  }
  return found.toReversed();
}

/** Both at whole lines, as nobody can tell where in its line the second one begins. */
function bothEnds(db: Db, sessionId: number, seq: number): string {
  const { head, tail } = db.get<{ head: string; tail: string }>(
    `SELECT substr(text, 1, :end) AS head, substr(text, -:end) AS tail FROM turns
     WHERE session_id = :sessionId AND seq = :seq`,
    { sessionId, seq, end: endCharsMax },
  )!;
  const line = tail.indexOf('\n');
  return line === -1 ? `${head}…` : `${head}…\n[…]${tail.slice(line)}`;
}
