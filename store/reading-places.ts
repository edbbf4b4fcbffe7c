/** Where turns stand in the conversation as it is read, whenever they came. */
import type { Db } from './database.ts';
import { isAsItCame } from './reading-order.ts';

interface Stretch {
  from: number;
  to: number | null;
  before: number;
}

/**
 * The places of the turns from one number to another, from 1; null: in a branch that was left. What is told late moves all
 * that is read behind it.
 */
export function readingPlaces(
  db: Db,
  sessionId: number,
  { first, last }: { first: number; last: number },
): (seq: number) => number | null {
  if (isAsItCame(db, sessionId)) return (seq) => seq;
  const stretches = db.all<Stretch>(stretchesSql, { sessionId, first, last });
  return (seq) => {
    const found = stretches.find(({ from, to }) => from <= seq && seq <= (to ?? seq));
    return found === undefined ? null : found.before + seq - found.from + 1;
  };
}

const stretchesSql = `
  SELECT * FROM (
    SELECT from_seq AS "from", to_seq AS "to",
           ifnull(sum(to_seq - from_seq + 1) OVER (
             ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM turn_order WHERE session_id = :sessionId)
  WHERE "from" <= :last AND ifnull("to", :first) >= :first`;
