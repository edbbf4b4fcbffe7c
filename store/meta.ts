import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

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
