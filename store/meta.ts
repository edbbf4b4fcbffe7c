import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

/** Which engine, with which memory, the rows were last reconciled with. */
export const engineEpoch = 'engine_epoch';

/** Set in every backup, and so in a database that was put back from one; holds when it was taken. */
export const backupTakenAt = 'backup_taken_at';

export function readMeta(db: Db, key: string): string | null {
  return (
    db.get<{ value: string }>('SELECT value FROM meta WHERE key = :key', { key })?.value ?? null
  );
}

export function writeMeta(tx: Tx, key: string, value: string): void {
  tx.db.run(
    `INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value`,
    { key, value },
  );
}

export function deleteMeta(tx: Tx, key: string): void {
  tx.db.run('DELETE FROM meta WHERE key = :key', { key });
}
