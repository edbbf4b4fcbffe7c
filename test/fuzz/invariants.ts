/** What holds between any two commands, as questions to the database whose answer must be empty. */
import { finalStatuses } from '../../contract/words.ts';
import { load } from '../../store/admission.ts';
import type { Db } from '../../store/index.ts';
import { isLive, listHosts } from '../../store/hosts.ts';
import { nextInQueue } from '../../store/placement.ts';
import { brokenRules } from './watch-rows.ts';
import type { World } from './world.ts';

const final = `(${finalStatuses.map((status) => `'${status}'`).join(', ')})`;
const hasLiveRun = `EXISTS (SELECT 1 FROM runs r WHERE r.invocation_id = s.id AND r.state = 'live')`;
const hasOpenBefore = `EXISTS (SELECT 1 FROM subagent_sessions b WHERE b.session_id = s.session_id
  AND b.ordinal < s.ordinal AND b.status NOT IN ${final})`;
const hasPlace = `(s.queued_at_ordinal IS NOT NULL OR s.host_id IS NOT NULL)`;
const unread = `EXISTS (SELECT 1 FROM mailbox m WHERE m.session_id = s.session_id AND m.state IN ('queued', 'undelivered'))`;

const never: Record<string, string> = {
  // Callbacks: one per ending, and each read once.
  'an ending of a callback child was not told': `
    SELECT s.id FROM subagent_sessions s JOIN sessions p
      ON p.agent_id = s.agent_id AND p.session_key = s.parent_session_id
    WHERE s.execution_mode = 'ASYNC_CALLBACK' AND s.status IN ${final}
      AND NOT EXISTS (SELECT 1 FROM mailbox m WHERE m.invocation_id = s.id AND m.session_id = p.id)`,
  'a callback tells of what has not ended, or did not ask for one': `
    SELECT m.id FROM mailbox m JOIN subagent_sessions s ON s.id = m.invocation_id
    WHERE s.status NOT IN ${final} OR s.execution_mode <> 'ASYNC_CALLBACK'`,
  'an ending was told twice': `
    SELECT invocation_id AS id FROM mailbox GROUP BY invocation_id HAVING count(*) > 1`,
  'a callback was read in two turns': `
    SELECT src AS id FROM turns WHERE src LIKE 'callback:%' GROUP BY src HAVING count(*) > 1`,
  'a delivered callback is in no transcript': `
    SELECT m.id FROM mailbox m WHERE m.state = 'delivered' AND NOT EXISTS (
      SELECT 1 FROM turns t WHERE t.session_id = m.session_id AND t.src = 'callback:' || m.id)
      AND EXISTS (SELECT 1 FROM sessions p WHERE p.id = m.session_id AND p.last_seq
        = (SELECT count(*) FROM turns t WHERE t.session_id = p.id))`,
  'a callback is handed to what does not run': `
    SELECT m.id FROM mailbox m WHERE m.state = 'handed' AND NOT EXISTS (
      SELECT 1 FROM runs r WHERE r.invocation_id = m.handed_to AND r.state = 'live'
        AND r.input = 'callbacks')`,
  'a queued callback of a managed session has nobody to read it': `
    SELECT m.id FROM mailbox m JOIN sessions p ON p.id = m.session_id
    WHERE m.state = 'queued' AND p.kind = 'managed' AND NOT EXISTS (
      SELECT 1 FROM subagent_sessions s WHERE s.session_id = p.id AND s.status NOT IN ${final})`,

  // Slots, the queue and processes.
  'what has ended holds a slot, a place in the queue or a wait': `
    SELECT s.id FROM subagent_sessions s WHERE s.status IN ${final} AND (${hasPlace}
      OR EXISTS (SELECT 1 FROM waits w WHERE w.invocation_id = s.id))`,
  'what holds a slot stands in the queue': `
    SELECT id FROM subagent_sessions WHERE host_id IS NOT NULL AND queued_at_ordinal IS NOT NULL`,
  'running is not what has a live run': `
    SELECT s.id FROM subagent_sessions s WHERE s.status NOT IN ${final}
      AND (s.status = 'running') <> ${hasLiveRun}`,
  'a live run has no slot on its host': `
    SELECT s.id FROM subagent_sessions s JOIN runs r ON r.invocation_id = s.id AND r.state = 'live'
    WHERE s.status NOT IN ${final} AND s.host_id IS NOT r.host_id`,
  'two work on one session at once': `
    SELECT s.id FROM subagent_sessions s WHERE s.status NOT IN ${final} AND ${hasOpenBefore}
      AND (${hasPlace} OR s.status <> 'pending')`,
  'a program that is not to be repeated was started again': `
    SELECT r.invocation_id AS id FROM runs r JOIN subagent_sessions s ON s.id = r.invocation_id
    WHERE r.state = 'ended' AND r.input = 'task' GROUP BY r.invocation_id HAVING count(*) > 1`,

  // Tree and bounds.
  'a child does not fit under its owner': `
    SELECT s.id FROM subagent_sessions s JOIN subagent_sessions o ON o.id = s.owner_invocation_id
    WHERE s.depth <> o.depth + 1 OR s.depth > o.max_depth OR s.max_depth > o.max_depth
      OR s.max_children > o.max_children OR s.deadline_at > o.deadline_at
      OR s.parent_session_id <> o.session_key OR s.agent_id <> o.agent_id OR s.ordinal < o.ordinal`,
  'an owner has gone and its child has not': `
    SELECT s.id FROM subagent_sessions s WHERE s.owner_invocation_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM subagent_sessions o WHERE o.id = s.owner_invocation_id)`,
  'an edge of the tree is not one below its parent, under the same root': `
    SELECT l.session_id AS id FROM lineage l LEFT JOIN lineage p ON p.session_id = l.parent_session_id
    WHERE l.depth <> coalesce(p.depth, 0) + 1
      OR l.root_session_id <> coalesce(p.root_session_id, l.parent_session_id)`,
  'an invocation says another root than its session': `
    SELECT s.id FROM subagent_sessions s LEFT JOIN sessions p
        ON p.agent_id = s.agent_id AND p.session_key = s.parent_session_id
      LEFT JOIN lineage l ON l.session_id = coalesce(p.id, s.session_id)
      LEFT JOIN sessions r ON r.id = l.root_session_id
    WHERE s.root_session_id <> coalesce(r.session_key, s.parent_session_id, s.session_key)`,
  'a turn is missing, or numbered twice': `
    SELECT session_id AS id FROM turns GROUP BY session_id, seq HAVING count(*) > 1
    UNION ALL SELECT p.id FROM sessions p
      WHERE p.last_seq < (SELECT coalesce(max(seq), 0) FROM turns t WHERE t.session_id = p.id)`,

  'what is to be stopped has asked for something that is not': `
    SELECT s.id FROM subagent_sessions s JOIN subagent_sessions o ON o.id = s.owner_invocation_id
    WHERE o.cancel_requested_at IS NOT NULL AND s.detached = 0
      AND s.status NOT IN ${final} AND s.cancel_requested_at IS NULL`,

  // Nothing is stuck: whatever has not ended has something that will move it.
  'what waits for its turn has no place': `
    SELECT s.id FROM subagent_sessions s
    WHERE s.status = 'pending' AND NOT ${hasPlace} AND NOT ${hasOpenBefore}`,
  'what waits has nothing that will wake it': `
    SELECT s.id FROM subagent_sessions s WHERE s.status = 'waiting' AND NOT ${hasPlace}
      AND (${unread} OR NOT EXISTS (SELECT 1 FROM subagent_sessions c
        WHERE c.owner_invocation_id = s.id AND c.execution_mode = 'ASYNC_CALLBACK'
          AND c.status NOT IN ${final}))`,
  'what is to be stopped has no process that could report so': `
    SELECT s.id FROM subagent_sessions s
    WHERE s.status NOT IN ${final} AND s.cancel_requested_at IS NOT NULL AND NOT ${hasLiveRun}`,
  // Also of what has ended: its workflow shows how.
  'nobody is asked to begin a workflow that has not begun': `
    SELECT s.id FROM subagent_sessions s
    WHERE s.engine_state = 'unstarted'
      AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.child_invocation_id = s.id)`,
};

/** One sentence for each thing that is not as it has to be. */
export function broken(world: World): string[] {
  return [
    ...brokenRows(world.store.db),
    ...idleSlots(world),
    ...deafWorkflows(world),
    ...overdue(world),
    ...repeats(world),
  ];
}

/** The same of any database on which `watchRows` looks. */
export function brokenRows(db: Db): string[] {
  const asked = Object.entries(never).flatMap(([sentence, sql]) =>
    db.all<{ id: string }>(sql).map(({ id }) => `${sentence}: ${id}`),
  );
  return [...brokenRules(db), ...asked];
}

/** Whoever stands in the queue stands there for want of a slot on a host that would do. */
function idleSlots({ store }: World): string[] {
  const now = store.now();
  const free = listHosts(store.db)
    .filter((host) => isLive(host, now) && host.draining === 0)
    .filter((host) => {
      const { total, working } = load(store, host);
      return total < host.ceiling && working < host.slots;
    })
    .map((host) => host.id);
  const queued = free.length === 0 ? undefined : nextInQueue(store.db, free);
  return queued ? [`${queued.id} is queued while ${queued.bound ?? free[0]} has a free slot`] : [];
}

/** What has a slot and no process: its workflow is about to ask, or to claim, or is told to. */
function deafWorkflows(world: World): string[] {
  const { store, engine } = world;
  return world
    .rows(`host_id IS NOT NULL AND status IN ('pending', 'waiting')`)
    .filter((row) => row.engine_state === 'open')
    .filter((row) => {
      const workflow = engine.open.get(`subagent/${row.id}`);
      const isTold = store.db.get(
        `SELECT 1 FROM outbox WHERE target_invocation_id = :id AND child_invocation_id IS NULL`,
        { id: row.id },
      );
      return !isTold && !workflow?.isPoked && !workflow?.lease;
    })
    .map((row) => `${row.id} has a slot, and its workflow will never hear of it`);
}

/** Time has been looked at since: what is past its deadline is to stop, and what was to stop has ended. */
function overdue(world: World): string[] {
  const { deadlines, stops } = world.done;
  const late = (when: string, what: string) =>
    world.rows(`completed_at IS NULL AND ${when}`).map((row) => `${row.id} ${what}`);
  return [
    ...late(
      `cancel_requested_at IS NULL AND deadline_at <= '${deadlines}'`,
      'is past its deadline, and nobody stops it',
    ),
    ...late(`cancel_requested_at <= '${stops}'`, 'was to be stopped, and has not ended since'),
  ];
}

/** Also a run that was lost may have done all that its program does: starts count, however they ended. */
function repeats({ hosts }: World): string[] {
  const begun = new Set<string>();
  return hosts
    .flatMap((host) => [...host.launched])
    .filter(({ spec }) => spec.runner.onLost !== 'rerun')
    .filter(({ work }) => begun.has(work) || !begun.add(work))
    .map(({ work }) => `a program that is not to be repeated was started twice: ${work}`);
}
