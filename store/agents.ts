import type { AgentRecord } from '../contract/records.ts';
import type { Db } from './database.ts';
import type { Tx } from './write-queue.ts';

export function findAgent(db: Db, id: string): AgentRecord | undefined {
  return db.get(
    `SELECT id, name, read_policy AS readPolicy, policy_group AS policyGroup FROM agents WHERE id = :id`,
    { id },
  );
}

/** An agent is registered at first sight, as shared; a policy that is there already is kept. */
export function ensureAgent({ db }: Tx, id: string): void {
  if (findAgent(db, id)) return;
  db.run(`INSERT INTO agents (id, name, read_policy) VALUES (:id, :id, 'shared')`, { id });
}

/** What is left out stays as it is. */
export function putAgent(
  tx: Tx,
  id: string,
  asked: { name: string | null; readPolicy: string | null; policyGroup: string | null },
): AgentRecord {
  ensureAgent(tx, id);
  tx.db.run(
    `UPDATE agents SET name = coalesce(:name, name), read_policy = coalesce(:readPolicy, read_policy),
            policy_group = coalesce(:policyGroup, policy_group) WHERE id = :id`,
    { id, ...asked },
  );
  return findAgent(tx.db, id)!;
}
