/** What hooks were answered under their keys: a repeat adds nothing, and hears the same. */
import { limits } from '../contract/limits.ts';
import type { Tx } from './write-queue.ts';

export function findAnswer(tx: Tx, sessionId: number, key: string): unknown {
  const row = tx.db.get<{ answer: string }>(
    'SELECT answer FROM hook_answers WHERE session_id = :sessionId AND key = :key',
    { sessionId, key },
  );
  return row && (JSON.parse(row.answer) as unknown);
}

export function keepAnswer(tx: Tx, sessionId: number, key: string, answer: unknown): void {
  tx.db.run(
    'INSERT INTO hook_answers (session_id, key, answer) VALUES (:sessionId, :key, :answer)',
    { sessionId, key, answer: JSON.stringify(answer) },
  );
  tx.db.run('DELETE FROM hook_answers WHERE id <= (SELECT max(id) FROM hook_answers) - :kept', {
    kept: limits.hookAnswersMax,
  });
}
