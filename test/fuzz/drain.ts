/** Everything goes on fairly: nobody asks for more, nothing breaks, and whoever can move moves. */
import { finalStatuses } from '../../contract/words.ts';
import type { Db } from '../../store/index.ts';
import { broken } from './invariants.ts';
import { outcomeOf } from './virtual-host.ts';
import type { World } from './world.ts';

/** Far more than a tree of this size needs; the time that passes meanwhile is below every deadline. */
const ROUNDS_MAX = 120;

/** What is not as it should be when all has come to rest. */
export async function drain(world: World): Promise<string[]> {
  for (const host of world.hosts) if (host.isUp) await host.sync();
  const before = new Set(world.rows(`completed_at IS NOT NULL`).map((row) => row.id));
  const late = `cancel_requested_at IS NOT NULL OR deadline_at <= '${world.store.now()}'`;
  const excused = new Set(world.rows(late).map((row) => row.id));
  await world.hosts[0]!.start();
  for (let round = 0; round < ROUNDS_MAX && !isAtRest(world); round += 1) {
    await oneRound(world);
    const sentences = broken(world);
    if (sentences.length > 0) return [`in round ${round} of the drain:`, ...sentences];
  }
  return atRest(world, before, excused);
}

async function oneRound(world: World): Promise<void> {
  world.clock.advance(2000);
  for (const host of world.hosts.filter((one) => one.isUp)) {
    await host.sync();
    await host.flush();
  }
  await world.tick();
  await world.goOn();
  const speakers = new Set(world.speakers());
  for (const { host, process } of world.processes()) {
    if (!speakers.has(process.spec.invocationId)) continue;
    await host.end(process, outcomeOf('succeeded'));
  }
  await world.rest();
}

function isAtRest(world: World): boolean {
  const workflows = [...world.engine.open.values()];
  return (
    world.rows('completed_at IS NULL').length === 0 &&
    world.store.db.get('SELECT 1 FROM outbox') === undefined &&
    workflows.every((workflow) => !workflow.isPoked && 'agentId' in workflow.of)
  );
}

const final = `(${finalStatuses.map((status) => `'${status}'`).join(', ')})`;

const left: Record<string, string> = {
  'did not come to an end': `SELECT id FROM subagent_sessions WHERE status NOT IN ${final}`,
  'is a callback of a managed session that nobody has read, and nobody will': `
    SELECT m.id FROM mailbox m JOIN sessions p ON p.id = m.session_id
    WHERE p.kind = 'managed' AND m.state NOT IN ('delivered', 'undelivered')`,
  'is a message that was never done with': `SELECT id FROM outbox`,
  'is a wait that nobody waits': `SELECT wait_id AS id FROM waits`,
  'is a live run of nobody': `SELECT r.invocation_id AS id FROM runs r
    JOIN subagent_sessions s ON s.id = r.invocation_id WHERE r.state = 'live'`,
};

/** What is left in a database when all has come to rest, and should not be. */
export function leftRows(db: Db): string[] {
  return Object.entries(left).flatMap(([what, sql]) =>
    db.all<{ id: string }>(sql).map(({ id }) => `${id} ${what}`),
  );
}

function atRest(world: World, before: Set<string>, excused: Set<string>): string[] {
  const remains = leftRows(world.store.db);
  const workflows = [...world.engine.open.values()]
    .filter((workflow) => 'invocationId' in workflow.of)
    .map((workflow) => `${workflow.id} is open in the engine`);
  // With time and hosts enough, what ends now ends because it is done, or was stopped or lost before.
  const broughtDown = world
    .rows(`error_code IN ('wall_time', 'no_host', 'engine_rejected')`)
    .filter((row) => !before.has(row.id) && !excused.has(row.id))
    .map((row) => `${row.id} ended as ${row.error_code} although nothing was in its way`);
  return [...remains, ...workflows, ...broughtDown];
}
