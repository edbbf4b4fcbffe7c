/** Which token a runner host elsewhere may speak with. One per host: a new one replaces the old. */
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

export function keepHostToken(tx: Tx, hostId: string, tokenId: string): void {
  tx.db.run(
    `INSERT INTO host_tokens (host_id, token_id, created_at) VALUES (:hostId, :tokenId, :now)
     ON CONFLICT (host_id) DO UPDATE SET token_id = :tokenId, created_at = :now`,
    { hostId, tokenId, now: tx.now },
  );
}

export function dropHostToken(tx: Tx, hostId: string): boolean {
  return tx.db.run('DELETE FROM host_tokens WHERE host_id = :hostId', { hostId }) > 0;
}

/** Null where the host has none: it was never given one, or it was revoked. */
export function hostTokenId(db: Db, hostId: string): string | null {
  const row = db.get<{ token_id: string }>(
    'SELECT token_id FROM host_tokens WHERE host_id = :hostId',
    { hostId },
  );
  return row?.token_id ?? null;
}
