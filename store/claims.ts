/** Which runtime path holds a session: one at a time, until it ends or says nothing for four hours. */
import { AppError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { RuntimePath } from '../contract/words.ts';
import type { SessionRow } from './sessions.ts';
import type { Tx } from './write-queue.ts';

/** The path that holds the session now. */
export function holderOf(session: SessionRow, now: string): RuntimePath | null {
  const isHeld = session.claim_expires_at !== null && session.claim_expires_at > now;
  return isHeld ? session.runtime_path : null;
}

export function refuseOtherPath(session: SessionRow, path: RuntimePath | null, now: string): void {
  const holder = holderOf(session, now);
  if (path === null || holder === null || holder === path) return;
  throw new AppError('session_claimed', `session claimed by ${holder} path`, {
    hint: `One runtime path reports a session: ${holder} does until ${session.claim_expires_at}, or until the session ends.`,
  });
}

/**
 * Takes the session for this path, or keeps it for longer: as of `at`, when the path was heard of. From so long ago
 * that it would not hold any more, nothing is taken.
 */
export function claimSession(tx: Tx, session: SessionRow, path: RuntimePath, at = tx.now): void {
  const isRenewed = holderOf(session, tx.now) === path;
  const until = new Date(Date.parse(at) + limits.claimMs).toISOString();
  if (until <= (isRenewed ? session.claim_expires_at! : tx.now)) return;
  tx.db.run(
    `UPDATE sessions SET runtime_path = :path, claimed_at = :claimedAt, claim_expires_at = :until
     WHERE id = :id`,
    {
      id: session.id,
      path,
      claimedAt: isRenewed ? session.claimed_at : at,
      until,
    },
  );
}

export function releaseClaim(tx: Tx, sessionId: number): void {
  tx.db.run(
    `UPDATE sessions SET runtime_path = NULL, claimed_at = NULL, claim_expires_at = NULL
     WHERE id = :sessionId AND runtime_path IS NOT NULL`,
    { sessionId },
  );
}
