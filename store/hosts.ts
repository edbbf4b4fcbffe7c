/** Runner hosts, their present boot, and whether they have spoken lately. */
import { limits } from '../contract/limits.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

export interface HostRow {
  id: string;
  boot_id: string;
  hostname: string;
  pid: number;
  slots: number;
  ceiling: number;
  draining: number;
  last_seen_at: string;
}

export function findHost(db: Db, id: string): HostRow | undefined {
  return db.get('SELECT * FROM hosts WHERE id = :id', { id });
}

export function listHosts(db: Db): HostRow[] {
  return db.all('SELECT * FROM hosts ORDER BY id');
}

export function isLive(host: Pick<HostRow, 'last_seen_at'>, now: string): boolean {
  return Date.parse(now) - Date.parse(host.last_seen_at) <= limits.hostSilentMs;
}

/**
 * Since when each host speaks without a break, as this server has heard it. Not in the database: whoever
 * was away has told nobody anything, so every server counts anew.
 */
export type Contacts = Map<string, string>;

export function inContactSince(contacts: Contacts, host: HostRow, now: string): string {
  const since = contacts.get(host.id);
  // One in times to come is from before the clock was set back.
  return since === undefined || since > now || !isLive(host, now) ? now : since;
}

export function registerHost(tx: Tx, host: Omit<HostRow, 'draining' | 'last_seen_at'>): void {
  tx.db.run(
    `INSERT INTO hosts (id, boot_id, hostname, pid, slots, ceiling, last_seen_at)
     VALUES (:id, :boot_id, :hostname, :pid, :slots, :ceiling, :now)
     ON CONFLICT (id) DO UPDATE SET boot_id = :boot_id, hostname = :hostname, pid = :pid,
       slots = :slots, ceiling = :ceiling, draining = 0, last_seen_at = :now`,
    { ...host, now: tx.now },
  );
}

/**
 * A host that may not speak any more is given nothing more. Its row goes with its last run: until then
 * its silence is what its lease is counted from.
 */
export function forgetHost(tx: Tx, id: string): void {
  tx.db.run('UPDATE hosts SET draining = 1 WHERE id = :id', { id });
  tx.db.run(
    `DELETE FROM hosts WHERE id = :id
       AND NOT EXISTS (SELECT 1 FROM runs WHERE host_id = :id AND state = 'live')
       AND NOT EXISTS (SELECT 1 FROM subagent_sessions WHERE host_id = :id)`,
    { id },
  );
}

export function touchHost(tx: Tx, id: string, isDraining: boolean): void {
  tx.db.run('UPDATE hosts SET last_seen_at = :now, draining = :draining WHERE id = :id', {
    id,
    now: tx.now,
    draining: isDraining ? 1 : 0,
  });
}

/** After a clock was set back: a silence that begins in times to come would not be told from presence until then. */
export function notAheadOfTime(tx: Tx): void {
  tx.db.run('UPDATE hosts SET last_seen_at = :now WHERE last_seen_at > :now', { now: tx.now });
}
