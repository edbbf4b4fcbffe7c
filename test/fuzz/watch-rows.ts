/**
 * Triggers of the test's own connection, which see every single change, also those that a later one in
 * the same transaction hides. What must not be is written down as a sentence.
 */
import type { Db } from '../../store/index.ts';

const open = `('pending', 'running', 'waiting', 'input_required')`;
const loadOf = (host: string) =>
  `(SELECT count(*) FROM main.subagent_sessions s WHERE s.host_id = ${host}
      AND NOT EXISTS (SELECT 1 FROM main.waits w WHERE w.waiter_id = s.id))`;

const statusEdges = `
  ('pending', 'running'), ('running', 'waiting'), ('waiting', 'running'),
  ('pending', 'cancelled'), ('pending', 'timed_out'), ('pending', 'failed'),
  ('running', 'completed'), ('running', 'failed'), ('running', 'cancelled'), ('running', 'timed_out'),
  ('waiting', 'completed'), ('waiting', 'failed'), ('waiting', 'cancelled'), ('waiting', 'timed_out')`;

const mailEdges = `
  ('queued', 'handed'), ('queued', 'undelivered'), ('queued', 'delivered'),
  ('handed', 'delivered'), ('handed', 'queued'), ('handed', 'undelivered'),
  ('undelivered', 'handed'), ('undelivered', 'delivered')`;

const rules: { on: string; when: string; say: string }[] = [
  {
    on: 'UPDATE OF status ON subagent_sessions',
    when: `old.status <> new.status AND (old.status, new.status) NOT IN (VALUES ${statusEdges})`,
    say: `'status of ' || new.id || ' went from ' || old.status || ' to ' || new.status`,
  },
  {
    on: 'UPDATE ON subagent_sessions',
    when: `old.completed_at IS NOT NULL AND (new.completed_at IS NOT old.completed_at
      OR new.result_content IS NOT old.result_content OR new.error IS NOT old.error
      OR new.error_code IS NOT old.error_code OR new.prompt IS NOT old.prompt)`,
    say: `'the ending of ' || new.id || ' was changed'`,
  },
  {
    // All of a tree is flagged at once; else a child would go on until its parent has ended.
    on: 'UPDATE OF status ON subagent_sessions',
    when: `new.status = 'cancelled' AND new.cancel_requested_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM main.subagent_sessions c WHERE c.owner_invocation_id = new.id AND c.detached = 0
        AND c.status IN ${open} AND c.cancel_requested_at IS NULL)`,
    say: `new.id || ' was cancelled before what it had asked for was told so'`,
  },
  {
    on: 'UPDATE OF state ON mailbox',
    when: `old.state <> new.state AND (old.state, new.state) NOT IN (VALUES ${mailEdges})`,
    say: `'callback ' || new.id || ' went from ' || old.state || ' to ' || new.state`,
  },
  {
    // Admitted, or lent by a parent that stands still: then as many work as before.
    on: 'UPDATE OF host_id ON subagent_sessions',
    when: `new.host_id IS NOT NULL AND old.host_id IS NULL AND ${loadOf('new.host_id')}
        > (SELECT slots FROM main.hosts WHERE id = new.host_id)
      AND NOT EXISTS (SELECT 1 FROM main.waits w JOIN main.subagent_sessions p ON p.id = w.waiter_id
        WHERE w.invocation_id = new.id AND w.waiter_id = new.owner_invocation_id
          AND p.host_id = new.host_id
          AND (SELECT count(*) FROM main.waits o WHERE o.waiter_id = p.id) = 1)`,
    say: `new.id || ' was admitted over the slots of ' || new.host_id`,
  },
  {
    on: 'UPDATE OF host_id ON subagent_sessions',
    when: `new.host_id IS NOT NULL AND old.host_id IS NULL
      AND (SELECT count(*) FROM main.subagent_sessions s WHERE s.host_id = new.host_id)
        > (SELECT ceiling FROM main.hosts WHERE id = new.host_id)`,
    say: `new.id || ' was admitted over the ceiling of ' || new.host_id`,
  },
  {
    on: 'UPDATE OF host_id ON subagent_sessions',
    when: `new.host_id IS NOT NULL AND old.host_id IS NULL AND new.status NOT IN ${open}`,
    say: `new.id || ' was admitted although it has ended'`,
  },
  {
    on: 'INSERT ON subagent_sessions',
    when: `new.owner_invocation_id IS NOT NULL AND (
        SELECT count(*) FROM main.subagent_sessions s
        WHERE s.owner_invocation_id = new.owner_invocation_id AND s.status IN ${open})
      > (SELECT max_children FROM main.subagent_sessions o WHERE o.id = new.owner_invocation_id)`,
    say: `new.id || ' is one child too many'`,
  },
  {
    on: 'INSERT ON subagent_sessions',
    when: `new.owner_session_id IS NOT NULL AND (
        SELECT count(*) FROM main.subagent_sessions s
        WHERE s.owner_session_id = new.owner_session_id AND s.status IN ${open}) > $homeChildren`,
    say: `new.id || ' is one child of a session too many'`,
  },
  {
    on: 'INSERT ON subagent_sessions',
    when: `EXISTS (SELECT 1 FROM main.subagent_sessions o WHERE o.id = new.owner_invocation_id
      AND (o.status NOT IN ${open} OR o.cancel_requested_at IS NOT NULL))`,
    say: `new.id || ' was accepted from an owner that has ended or is being cancelled'`,
  },
  {
    on: 'INSERT ON runs',
    when: `(SELECT count(*) FROM main.runs r WHERE r.invocation_id = new.invocation_id
      AND r.state = 'live') > 1`,
    say: `new.invocation_id || ' runs twice at once'`,
  },
  {
    on: 'INSERT ON runs',
    when: `new.run_no <> (SELECT count(*) FROM main.runs r WHERE r.invocation_id = new.invocation_id)`,
    say: `'run ' || new.run_no || ' of ' || new.invocation_id || ' is not the next'`,
  },
  {
    on: 'UPDATE OF state ON runs',
    when: `old.state <> 'live'`,
    say: `'run ' || new.run_no || ' of ' || new.invocation_id || ' ended twice'`,
  },
  {
    on: 'UPDATE ON turns',
    when: '1',
    say: `'turn ' || new.seq || ' was changed'`,
  },
];

export function watchRows(db: Db, homeChildren: number): void {
  db.exec('CREATE TEMP TABLE broken (sentence TEXT)');
  for (const [index, { on, when, say }] of rules.entries()) {
    db.exec(`CREATE TEMP TRIGGER rule_${index} AFTER ${on} WHEN ${when.replace('$homeChildren', String(homeChildren))}
      BEGIN INSERT INTO broken VALUES (${say}); END`);
  }
}

export function brokenRules(db: Db): string[] {
  return db.all<{ sentence: string }>('SELECT sentence FROM broken').map((row) => row.sentence);
}
