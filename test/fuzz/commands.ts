/** What can happen, as commands for fast-check. Each takes numbers, and picks by them among what is there. */
import * as fc from 'fast-check';
import { executionModes, type ExecutionMode } from '../../contract/words.ts';
import { broken } from './invariants.ts';
import type { Passage } from './virtual-engine.ts';
import { outcomeOf } from './virtual-host.ts';
import type { World } from './world.ts';

type Act<A extends unknown[]> = (world: World, ...args: A) => Promise<unknown>;

/** Runs one act and looks whether all still holds. There is no second model: the rules are it. */
class Happening<A extends unknown[]> implements fc.AsyncCommand<object, World> {
  readonly #name: string;
  readonly #act: Act<A>;
  readonly #args: A;

  constructor(name: string, act: Act<A>, args: A) {
    this.#name = name;
    this.#act = act;
    this.#args = args;
  }

  check(): boolean {
    return true;
  }

  async run(_: object, world: World): Promise<void> {
    await this.#act(world, ...this.#args);
    await world.rest();
    const sentences = broken(world);
    if (sentences.length > 0) throw new Error(`after ${this}:\n${sentences.join('\n')}`);
  }

  toString(): string {
    return `${this.#name}(${this.#args.map((arg) => JSON.stringify(arg)).join(', ')})`;
  }
}

const happening = <A extends unknown[]>(
  name: string,
  args: { [K in keyof A]: fc.Arbitrary<A[K]> },
  act: Act<A>,
) => fc.tuple<A>(...args).map((given) => new Happening(name, act, given));

const pick = <T>(list: Iterable<T>, n: number): T | undefined => {
  const items = [...list];
  return items[n % items.length];
};
const nth = fc.nat(11);
const mode = fc.constantFrom<ExecutionMode>(...executionModes);
const key = fc.constantFrom('main', 'main', 'side');
const runnerId = fc.constantFrom('talk', 'talk', 'again', 'once');
const bounds = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ maxDepth: fc.nat(2), maxChildren: fc.integer({ min: 1, max: 3 }) }),
  },
);
/** Mostly without an end of their own, sometimes with hardly any patience. */
const patience = fc.constantFrom(undefined, undefined, 0);
const idempotency = fc.constantFrom(null, null, null, 'key-1', 'key-2');

const requests = {
  /** A root, or a child of an external session. */
  fromOutside: happening(
    'fromOutside',
    [runnerId, mode, fc.option(key, { nil: undefined }), bounds, patience, idempotency],
    (world, runner, executionMode, parentSessionId, limits, waitSeconds, idempotencyKey) =>
      world.ask(
        'runSubagent',
        {
          runnerId: runner,
          prompt: 'do it',
          executionMode,
          // Nobody stands still for ever outside of our own tree.
          waitSeconds: executionMode === 'SYNC' ? 0 : waitSeconds,
          ...(parentSessionId && { parentSessionId }),
          limits,
        },
        { by: null, idempotencyKey },
      ),
  ),
  fromInside: happening(
    'fromInside',
    [nth, runnerId, mode, fc.boolean(), bounds, patience, idempotency],
    async (world, n, runner, executionMode, detached, limits, waitSeconds, idempotencyKey) => {
      const by = pick(world.speakers(), n);
      if (by === undefined) return;
      const input = { runnerId: runner, prompt: 'help', executionMode, detached, limits };
      await world.ask('runSubagent', { ...input, waitSeconds }, { by, idempotencyKey });
    },
  ),
  /** The administrator names a managed session as parent. */
  inTheNameOf: happening('inTheNameOf', [nth, mode], async (world, n, executionMode) => {
    const row = pick(world.rows(), n);
    if (!row) return;
    await world.ask(
      'runSubagent',
      {
        runnerId: 'talk',
        prompt: 'help',
        executionMode,
        parentSessionId: row.session_key,
        waitSeconds: 0,
      },
      { by: null },
    );
  }),
  send: happening(
    'send',
    [nth, fc.boolean(), nth, mode],
    async (world, n, isOurs, m, executionMode) => {
      const row = pick(world.rows(), n);
      const by = isOurs ? (pick(world.speakers(), m) ?? null) : null;
      if (!row) return;
      const waitSeconds = by === null ? 0 : undefined;
      await world.ask(
        'sendToSubagent',
        { id: row.id, prompt: 'more', executionMode, waitSeconds },
        { by },
      );
    },
  ),
  wait: happening('wait', [nth, fc.boolean()], async (world, n, isAny) => {
    const by = pick(world.speakers(), n);
    const ids =
      by === undefined ? [] : world.rows(`owner_invocation_id = '${by}'`).map((row) => row.id);
    if (by === undefined || ids.length === 0) return;
    await world.ask('waitSubagents', { ids, until: isAny ? 'any' : 'all' }, { by });
  }),
  hangUp: happening('hangUp', [nth], async (world, n) => pick(world.calls, n)?.gone.abort()),
  register: happening('register', [key], (world, name) =>
    world.ask('registerSession', { key: name }, { by: null }),
  ),
  cancel: happening('cancel', [nth], async (world, n) => {
    const row = pick(world.rows(), n);
    if (row) await world.ask('cancelSubagent', { id: row.id }, { by: null });
  }),
  remove: happening('remove', [nth], async (world, n) => {
    const row = pick(world.rows(), n);
    if (row) await world.ask('deleteSubagent', { id: row.id }, { by: null });
  }),
  removeSession: happening('removeSession', [nth], async (world, n) => {
    const all = world.store.db.all<{ session_key: string }>('SELECT session_key FROM sessions');
    const session = pick(all, n);
    if (session) await world.ask('deleteSession', { key: session.session_key }, { by: null });
  }),
  acknowledge: happening('acknowledge', [nth], async (world, n) => {
    const mail = pick(
      world.store.db.all<{ id: string; key: string }>(
        'SELECT m.id, p.session_key AS key FROM mailbox m JOIN sessions p ON p.id = m.session_id',
      ),
      n,
    );
    if (mail) await world.ask('ackCallbacks', { key: mail.key, ids: [mail.id] }, { by: null });
  }),
};

const passage = fc.constantFrom<Passage>(
  'good',
  'good',
  'good',
  'unanswered',
  'unreachable',
  'refused',
);

const engine = {
  goOn: happening('goOn', [], (world) => world.goOn()),
  relay: happening('relay', [nth, passage], async (world, n, how) => {
    const rows = pick(world.engine.due(), n);
    if (rows) await world.engine.relay(rows, how);
  }),
  step: happening('step', [nth], async (world, n) => {
    const poked = [...world.engine.open.values()].filter((workflow) => workflow.isPoked);
    const workflow = pick(poked, n);
    if (workflow) await world.engine.step(workflow);
  }),
  /** A workflow asks although nothing has changed: a local activity whose answer was lost. */
  repeat: happening('repeat', [nth], async (world, n) => {
    const workflow = pick(world.engine.open.values(), n);
    if (workflow) workflow.isPoked = true;
  }),
  rest: happening('rest', [nth], async (world, n) => {
    const idle = [...world.engine.open.values()].filter((one) => one.mayRest && !one.isPoked);
    const workflow = pick(idle, n);
    if (workflow) world.engine.close(workflow);
  }),
  cancelByHand: happening('cancelByHand', [nth], async (world, n) => {
    const workflow = pick(world.engine.open.values(), n);
    if (workflow) Object.assign(workflow, { isCancelled: true, isPoked: true });
  }),
  keep: happening('keep', [], async (world) => world.engine.keep()),
  forget: happening('forget', [], (world) => world.engine.forget()),
  loseEngine: happening('loseEngine', [], (world) => world.engine.lose()),
};

const way = fc.constantFrom<'once' | 'twice' | 'later'>('once', 'once', 'twice', 'later');
const kind = fc.constantFrom<'succeeded' | 'failed' | 'timed_out'>(
  'succeeded',
  'succeeded',
  'succeeded',
  'failed',
  'timed_out',
);

const host = {
  lease: happening('lease', [nth, fc.nat(9)], async (world, n, luck) => {
    const waiting = [...world.engine.open.values()].filter((one) => one.lease?.isHeld === false);
    const workflow = pick(waiting, n);
    if (!workflow?.lease || !('invocationId' in workflow.of)) return;
    await world.hold(workflow, luck === 0);
  }),
  say: happening('say', [nth, fc.boolean()], async (world, n, isRepeated) => {
    const found = pick(world.processes(), n);
    if (found) await found.host.say(found.process, isRepeated);
  }),
  end: happening('end', [nth, kind, way], async (world, n, outcome, how) => {
    const found = pick(world.processes(), n);
    if (found) await found.host.end(found.process, outcomeOf(outcome), how);
  }),
  lose: happening('lose', [nth, fc.boolean(), way], async (world, n, wasStarted, how) => {
    const found = pick(world.processes(), n);
    if (found) await found.host.end(found.process, { why: 'pulled out', wasStarted }, how);
  }),
  flush: happening('flush', [nth], async (world, n) => pick(world.hosts, n)!.flush()),
  sync: happening('sync', [nth, fc.nat(9)], async (world, n, luck) => {
    await pick(
      world.hosts.filter((one) => one.isUp),
      n,
    )?.sync(luck === 0);
  }),
  boot: happening('boot', [nth, fc.integer({ min: 1, max: 3 })], (world, n, slots) =>
    pick(world.hosts, n)!.start(slots),
  ),
};

const time = {
  tick: happening('tick', [], (world) => world.tick()),
  pass: happening(
    'pass',
    [fc.constantFrom(1, 1, 1, 1, 5, 5, 5, 20, 20, 40, 700, 90_000)],
    async (world, seconds) => world.clock.advance(seconds * 1000),
  ),
  restart: happening('restart', [], (world) => world.restart()),
};

/** What moves work on comes often, what destroys it seldom: else nothing would ever grow. */
export const happenings = [
  ...often(requests.fromOutside, 6),
  ...often(requests.fromInside, 30),
  requests.inTheNameOf,
  ...often(requests.send, 4),
  ...often(requests.wait, 4),
  requests.hangUp,
  requests.register,
  requests.cancel,
  requests.remove,
  requests.removeSession,
  requests.acknowledge,
  ...often(engine.goOn, 30),
  ...often(engine.relay, 4),
  ...often(engine.step, 4),
  engine.repeat,
  engine.rest,
  engine.cancelByHand,
  engine.keep,
  engine.forget,
  engine.loseEngine,
  ...often(host.lease, 4),
  host.say,
  ...often(host.end, 16),
  host.lose,
  host.flush,
  ...often(host.sync, 3),
  host.boot,
  ...often(time.tick, 2),
  ...often(time.pass, 2),
  time.restart,
];

function often<T>(what: T, times: number): T[] {
  return Array.from({ length: times }, () => what);
}
