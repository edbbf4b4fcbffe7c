/** What hooks were answered under their keys: a repeat adds nothing, and hears the same. */
import { limits } from '../contract/limits.ts';
import type { Tx } from './write-queue.ts';

export interface KeptAnswer {
  answer: unknown;
  /** Stands for what it said in fields of its own; null where its key says that already. */
  said: string | null;
  /** Stands for the transcript that was taken with it; null where none was. */
  transcript: string | null;
}

export function findAnswer(tx: Tx, sessionId: number, key: string): KeptAnswer | undefined {
  const row = tx.db.get<{ answer: string }>(
    'SELECT answer FROM hook_answers WHERE session_id = :sessionId AND key = :key',
    { sessionId, key },
  );
  if (row === undefined) return undefined;
  const kept: unknown = JSON.parse(row.answer);
  // Those of earlier versions are the answer alone, which is never a list.
  if (!Array.isArray(kept)) return { answer: kept, said: null, transcript: null };
  const [answer, said, transcript] = kept as [unknown, string | null, string | null];
  return { answer, said, transcript };
}

export function keepAnswer(tx: Tx, sessionId: number, key: string, kept: KeptAnswer): void {
  tx.db.run(
    'INSERT INTO hook_answers (session_id, key, answer) VALUES (:sessionId, :key, :answer)',
    { sessionId, key, answer: textOf(kept) },
  );
  tx.db.run('DELETE FROM hook_answers WHERE id <= (SELECT max(id) FROM hook_answers) - :kept', {
    kept: limits.hookAnswersMax,
  });
}

/** A repeat has brought another transcript. */
export function changeAnswer(tx: Tx, sessionId: number, key: string, kept: KeptAnswer): void {
  tx.db.run(
    'UPDATE hook_answers SET answer = :answer WHERE session_id = :sessionId AND key = :key',
    {
      ...{ sessionId, key },
      answer: textOf(kept),
    },
  );
}

const textOf = ({ answer, said, transcript }: KeptAnswer) =>
  JSON.stringify([answer, said, transcript]);
