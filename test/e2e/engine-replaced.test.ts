/** Another database under the same rows: a new one, that of another version of the server, and the old one again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { agentSessionWorkflowId } from '../../contract/names.ts';
import { homePaths } from '../../contract/home.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { release, untilFile } from './agents.ts';
import { crashConfig, quickRestarts, untilRunning } from './crash-fixture.ts';
import { engineHands } from './engine-hands.ts';
import { familyOf } from './family.ts';
import { heldEngine, type HeldEngine } from './held-engine.ts';
import { rows, runsOf } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let engine: HeldEngine;

beforeAll(async () => {
  engine = await heldEngine('replaced');
  const config = { ...crashConfig, limits: { slots: 3 } };
  stack = await startStack({ config, timing: quickRestarts, env: engine.env });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const { sh, childrenOf, whenStatus, mailOf, said } = familyOf(() => stack);
const { untilBack, withEngineDown, withEngine, closeOf } = engineHands(
  () => stack,
  () => engine,
);

type Member = 'parent' | 'child' | 'guest' | 'over' | 'next' | 'pending';
type Members = Record<Member, SubAgentRecord>;

/**
 * A row in each state: `parent` waits for `child`, which runs, as `guest` does for an external session;
 * `over` is to end first, then `next` gets its slot, and `pending` waits for one. All are in the engine.
 */
async function everyState(key: string): Promise<Members> {
  await stack.client.call('registerSession', { key });
  const leaf = (word: string) => `${untilFile('go')}; echo ${word}`;
  const asked = await stack.start(
    `spawn callback as child runner sh: { ${leaf('child')} }; say asked`,
  );
  const parent = await whenStatus(asked.id, 'waiting');
  const [child] = await childrenOf(parent, 1);
  const guest = await sh(leaf('guest'), { executionMode: 'ASYNC_CALLBACK', parentSessionId: key });
  const over = await sh(`${untilFile('over')}; echo over`);
  for (const { id } of [child!, guest, over]) await untilRunning(stack.client, id);
  const members = { parent, child: child!, guest, over, next: await sh(leaf('next')) };
  const all = { ...members, pending: await sh(leaf('pending')) };
  await until(
    async () => Object.values(all).map(({ id }) => engineStateOf(id)),
    (states) => states.every((state) => state === 'open'),
  );
  return all;
}

const engineStateOf = (id: string) =>
  rows<{ engine_state: string }>(
    stack.home,
    'SELECT engine_state FROM subagent_sessions WHERE id = ?',
    id,
  )[0]!.engine_state;

/** Of each workflow its status, whose child it is, and which run of it; null where there is none. */
const inEngine = (workflowIds: string[]) =>
  withEngine(({ workflow }) =>
    Promise.all(
      workflowIds.map(async (id) => {
        const found = await workflow
          .getHandle(id)
          .describe()
          .catch(() => null);
        if (found === null) return null;
        const { status, parentExecution, runId } = found;
        return { status: status.name, parent: parentExecution?.workflowId ?? null, runId };
      }),
    ),
  ).catch(() => []);

const open: Member[] = ['parent', 'child', 'guest', 'next', 'pending'];

/** Under whom all that is open stands in the engine that there is now; answers their workflows' runs. */
async function expectOpen(members: Members, key: string): Promise<string[]> {
  const ids = open.map((name) => members[name].workflowId);
  const found = await until(
    () => inEngine(ids),
    (all) => all.length > 0 && all.every((one) => one?.status === 'RUNNING'),
  );
  const session = agentSessionWorkflowId('default', key);
  expect(found.map((one) => one!.parent)).toEqual([null, ids[0], session, null, null]);
  return found.map((one) => one!.runId);
}

const endOver = async ({ over }: Members) => {
  release(over, 'over');
  expect(await stack.ended(over.id)).toMatchObject({ result: { content: 'over' } });
};

/** Lets all go on, and looks: the right answers, each from one launch, each told once, in store and engine. */
async function expectEnds(members: Members, key: string): Promise<void> {
  for (const name of open) if (name !== 'child') release(members[name], 'go');
  for (const name of open) {
    const content = name === 'parent' ? 'child completed: child' : name;
    expect(await stack.ended(members[name].id)).toMatchObject({ result: { content } });
    expect((await closeOf(members[name])).status).toBe('COMPLETED');
  }
  const launches = [...open, 'over' as const].map((name) => runsOf(stack.home, members[name].id));
  expect(launches).toEqual([2, 1, 1, 1, 1, 1]);
  expect(await said(members.parent.id, 'callback')).toHaveLength(1);
  expect((await mailOf(key)).map(({ invocationId }) => invocationId)).toEqual([members.guest.id]);
}

const statusOf = async ({ id }: SubAgentRecord) =>
  (await stack.client.call('getSubagent', { id })).status;

test('a database that is deleted under rows in every state: what is open is in the new one, what has ended unheard is not, and nothing runs twice', async () => {
  const members = await everyState('deleted');
  await withEngineDown(async () => {
    await untilBack(false);
    await endOver(members);
    await untilRunning(stack.client, members.next.id);
    expect(engineStateOf(members.over.id)).toBe('open');
    rmSync(homePaths(stack.home).engineData, { recursive: true });
  });
  await expectOpen(members, 'deleted');
  expect(await statusOf(members.pending)).toBe('pending');
  expect(await inEngine([members.over.workflowId])).toEqual([null]);
  await expectEnds(members, 'deleted');
}, 120_000);

test('another version of the server begins with a file of its own and is told all that is open; on the old file again, what is open goes on and what has ended ends', async () => {
  const versionOf = () => readEngineFile(stack.home)!.version;
  const own = versionOf();
  const members = await everyState('upgraded');
  const begun = await expectOpen(members, 'upgraded');

  await withEngineDown(async () => engine.pretend('1.99.0'));
  const anew = await expectOpen(members, 'upgraded');
  expect(versionOf()).toBe('1.99.0');
  expect(readdirSync(homePaths(stack.home).engineData)).toEqual(
    expect.arrayContaining([`temporal-${own}.db`, 'temporal-1.99.0.db']),
  );
  expect(anew.filter((runId) => begun.includes(runId))).toEqual([]);
  expect(await statusOf(members.pending)).toBe('pending');
  await endOver(members);
  expect((await closeOf(members.over)).status).toBe('COMPLETED');

  await withEngineDown(async () => engine.pretend(null));
  // The very workflows that were left there, the one of what has ended since among them.
  expect(await expectOpen(members, 'upgraded')).toEqual(begun);
  expect(versionOf()).toBe(own);
  expect((await closeOf(members.over)).status).toBe('COMPLETED');
  await expectEnds(members, 'upgraded');
}, 120_000);
