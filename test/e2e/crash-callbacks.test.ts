import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubAgentRecord } from '../../contract/records.ts';
import { program, release } from './agents.ts';
import { crashConfig, quickRestarts, replace, untilUp, type Name } from './crash-fixture.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
beforeAll(async () => {
  stack = await startStack({ config: crashConfig, timing: quickRestarts });
}, 60_000);
afterAll(() => stack.stop(), 60_000);

const get = (id: string) => stack.client.call('getSubagent', { id });
const childrenOf = async ({ sessionKey }: SubAgentRecord) =>
  (await stack.client.call('listSubagents', { parentSessionId: sessionKey })).items;

/** Exactly one turn for each child, and none for anybody else. */
async function expectToldOnce(parent: SubAgentRecord, children: SubAgentRecord[]): Promise<void> {
  const told = (await stack.transcript(parent.id))
    .filter(({ role }) => role === 'callback')
    .map(({ text }) => /invocation="([^"]+)"/.exec(text)![1]);
  expect(told.toSorted()).toEqual(children.map(({ id }) => id).toSorted());
  const states = rows<{ state: string }>(
    stack.home,
    `SELECT DISTINCT m.state FROM mailbox m JOIN sessions s ON s.id = m.session_id
     WHERE s.session_key = ?`,
    parent.sessionKey,
  );
  expect(states).toEqual([{ state: 'delivered' }]);
}

const moments: [Name[], number][] = [
  [['server'], 0],
  [['server'], 40],
  [['server'], 80],
  [['engine'], 10],
  [['server', 'engine'], 30],
  [['server', 'engine'], 90],
];

test('a kill at any moment between the end of a child and its delivery loses no callback and doubles none [orchestrator 20]', async () => {
  for (const [names, delayMs] of moments) {
    const parent = await stack.start(
      `spawn callback as k1 runner sh: { until [ -e go ]; do sleep 0.02; done; echo k1 }
       spawn callback as k2 runner sh: { until [ -e go ]; do sleep 0.02; done; echo k2 }
       say asked`,
    );
    await until(
      async () => [await get(parent.id), ...(await childrenOf(parent))],
      ([own, ...children]) =>
        own!.status === 'waiting' &&
        children.length === 2 &&
        children.every(({ status }) => status === 'running'),
    );
    release(parent, 'go');
    await sleep(delayMs);
    for (const name of names) stack.kill(name);
    const ended = await stack.ended(parent.id);
    expect(ended).toMatchObject({ status: 'completed' });
    expect(ended.result?.content).toMatch(/k\d completed: k\d$/);
    await expectToldOnce(parent, await childrenOf(parent));
    await untilUp(stack);
  }
}, 120_000);

test('callbacks that are queued behind a busy parent outlive the death of server, engine and both [orchestrator 21]', async () => {
  const first = program(async ({ spawn, later, until: there, say }) => {
    later('tools.say(String(tools.prompt.match(/<agent-callback/g).length))');
    for (const word of ['one', 'two', 'three']) await spawn('ASYNC_CALLBACK', `echo ${word}`);
    await there('go');
    say('asked');
  });
  const parent = await stack.start(first, { runnerId: 'js' });
  await until(
    () => childrenOf(parent),
    (children) => children.length === 3 && children.every(({ status }) => status === 'completed'),
  );
  for (const names of [['server'], ['engine'], ['server', 'engine']] as Name[][]) {
    await replace(stack, names);
    expect((await get(parent.id)).status).toBe('running');
  }
  release(parent, 'go');
  // All three come in one turn.
  expect(await stack.ended(parent.id)).toMatchObject({ result: { content: '3' } });
  await expectToldOnce(parent, await childrenOf(parent));
}, 60_000);

test('with one slot a SYNC parent whose server was killed lends its slot again to what it waits for', async () => {
  const narrow = await startStack({
    config: { ...crashConfig, limits: { slots: 1 } },
    timing: quickRestarts,
  });
  try {
    const parent = await narrow.start(
      `spawn SYNC as child: {
         spawn callback as kid runner sh: { until [ -e go ]; do sleep 0.02; done; echo kid }
         say asked
       }
       say done`,
    );
    const kids = async () =>
      (await narrow.client.call('listSubagents', { rootSessionId: parent.sessionKey })).items;
    await until(
      kids,
      (items) =>
        items.some(({ title, status }) => title === 'child' && status === 'waiting') &&
        items.some(({ title, status }) => title === 'kid' && status === 'running'),
    );
    narrow.kill('server');
    await sleep(500);
    release(parent, 'go');
    expect(await narrow.ended(parent.id)).toMatchObject({
      result: { content: 'child completed: kid completed: kid\ndone' },
    });
  } finally {
    await narrow.stop();
  }
}, 60_000);
