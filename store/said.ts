/** What was said last in a session, read from its end: never more of a transcript than is asked for. */
import type { SaidTurn } from '../domain/context-block.ts';
import type { Db } from './database.ts';
import { rangesFromEnd } from './reading-order.ts';

/** Of a longer turn only so much of either end is read; a key that is cut in two stays out of sight. */
const endCharsMax = 24_000;
const pageRowsMax = 16;
/** Most turns have more. */
const turnChars = 100;

/** The turns after `after` that hold the last `charsMax` characters, oldest first. */
export function lastSaid(
  db: Db,
  sessionId: number,
  { after, charsMax }: { after: number; charsMax: number },
): SaidTurn[] {
  const found: SaidTurn[] = [];
  let room = charsMax;
  const pageRows = Math.min(pageRowsMax, Math.ceil(charsMax / turnChars));
  for (const { from, to } of rangesFromEnd(db, sessionId, after)) {
    if (room <= 0) break;
    const low = Math.max(after + 1, from);
    let high = to;
    while (room > 0) {
      const page = db.all<SaidTurn & { head: string | null }>(
        `SELECT seq, role,
                CASE WHEN octet_length(text) > 2 * :end THEN substr(text, 1, :end) END AS head,
                CASE WHEN octet_length(text) > 2 * :end THEN substr(text, -:end) ELSE text END AS text
         FROM turns
         WHERE session_id = :sessionId AND seq BETWEEN :low AND :high
           AND role IN ('user', 'assistant', 'callback')
         ORDER BY seq DESC LIMIT :limit`,
        { sessionId, low, high, end: endCharsMax, limit: pageRows },
      );
      for (const { seq, role, text, head } of page) {
        if (room <= 0) break;
        const read = head === null ? text : withoutMiddle(head, text);
        found.push({ seq, role, text: read });
        room -= read.length;
      }
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < pageRows || oldest.seq <= low) break;
      high = oldest.seq - 1;
    }
  }
  return found.toReversed();
}

/** The last prompts of the conversation, oldest first, each from its beginning. */
export function lastPrompts(
  db: Db,
  sessionId: number,
  { after, count, charsMax }: { after: number; count: number; charsMax: number },
): string[] {
  const found: string[] = [];
  for (const { from, to } of rangesFromEnd(db, sessionId, after)) {
    const page = db.all<{ text: string }>(
      `SELECT substr(text, 1, :charsMax) AS text FROM turns
       WHERE session_id = :sessionId AND seq BETWEEN :low AND :high AND role = 'user'
       ORDER BY seq DESC LIMIT :limit`,
      {
        sessionId,
        low: Math.max(after + 1, from),
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

/** Both ends at whole lines, as nobody can tell where in its line the second one begins. */
function withoutMiddle(head: string, tail: string): string {
  const line = tail.indexOf('\n');
  return line === -1 ? `${head}…` : `${head}\n[…]${tail.slice(line)}`;
}
