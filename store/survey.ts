/** What a look over the whole store shows that nobody asks for in daily work. */
import type { StoreCheck } from '../contract/system-records.ts';
import type { Db } from './database.ts';
import { findHost, isLive } from './hosts.ts';

/** Runs that count as running although their host is silent, has begun anew, or is not known. */
export function staleClaims(db: Db, now: string): StoreCheck['staleClaims'] {
  const runs = db.all<{ invocationId: string; runNo: number; hostId: string; bootId: string }>(
    `SELECT invocation_id AS invocationId, run_no AS runNo, host_id AS hostId, boot_id AS bootId
     FROM runs WHERE state = 'live' ORDER BY claimed_at`,
  );
  return runs.flatMap(({ bootId, ...run }) => {
    const host = findHost(db, run.hostId);
    return host && isLive(host, now) && host.boot_id === bootId ? [] : [run];
  });
}

/** When the latest entry was made: in the future, if the clock was set back since. */
export function newestEntry(db: Db): string | null {
  return db.get<{ at: string | null }>(
    `SELECT max(at) AS at FROM (
       SELECT max(created_at) AS at FROM subagent_sessions UNION ALL
       SELECT max(last_seen_at) FROM hosts)`,
  )!.at;
}
