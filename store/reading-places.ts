/** Where turns stand in the conversation as it is read, whenever they came. */
import type { Db } from './database.ts';
import { isAsItCame } from './reading-order.ts';

/** Turns that are read one after the other; the last stretch of a session is open. */
interface Stretch {
  place: number;
  from: number;
  to: number | null;
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
  // Each is counted from the one before: all together go through the order once.
  const before: number[] = [];
  stretches.forEach(({ place }, at) => {
    const since = stretches[at - 1]?.place ?? 0;
    const { turns } = db.get<{ turns: number }>(turnsSql, { sessionId, since, place })!;
    before.push((before.at(-1) ?? 0) + turns);
  });
  return (seq) => {
    const at = stretches.findIndex(({ from, to }) => from <= seq && seq <= (to ?? seq));
    return at === -1 ? null : before[at]! + seq - stretches[at]!.from + 1;
  };
}

/** By their ends, which have an index: those that end there, the one that goes on behind, and the open one. */
const stretchesSql = `
  SELECT place, from_seq AS "from", to_seq AS "to" FROM (
    SELECT * FROM turn_order WHERE session_id = :sessionId AND to_seq BETWEEN :first AND :last
    UNION ALL
    SELECT * FROM (SELECT * FROM turn_order WHERE session_id = :sessionId AND to_seq > :last
                   ORDER BY to_seq LIMIT 1)
    UNION ALL
    SELECT * FROM turn_order INDEXED BY turn_order_by_end
    WHERE session_id = :sessionId AND to_seq IS NULL)
  WHERE from_seq <= :last ORDER BY place`;

const turnsSql = `
  SELECT ifnull(sum(to_seq - from_seq + 1), 0) AS turns FROM turn_order
  WHERE session_id = :sessionId AND place >= :since AND place < :place`;
