/**
 * Runner hosts on other machines that lose the network. Each test runs over a proxy that can be cut,
 * which every machine allows, and over a real network namespace where this one allows that.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubAgentRecord } from '../../contract/records.ts';
import { formatTraceparent } from '../../contract/trace.ts';
import { openReceiver } from '../telemetry/otlp-receiver.ts';
import { program, runners } from './agents.ts';
import {
  crashConfig,
  expectNoRepeats,
  expectRunOnce,
  expectTrueTree,
  startTree,
  untilGone,
  untilGrown,
  untilRunning,
} from './crash-fixture.ts';
import { impatientBuild } from './impatient-build.ts';
import { namespaceProblem, openNamespace, openProxy, type Network } from './network.ts';
import { startRemoteHost, type RemoteHost } from './remote-host.ts';
import { ask } from './requests.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

/** Six seconds without contact. One slot here, so that work goes to the far end. */
const leaseSeconds = 6;
const limits = { slots: 1, maxDepth: 5, leaseMinutes: leaseSeconds / 60, killGraceSeconds: 1 };

const problem = namespaceProblem();
if (problem !== null) {
  process.stderr.write(
    `remote hosts: a proxy stands for the network. This machine allows no network namespace (it takes root and \`ip\` of iproute2): ${problem}\n`,
  );
}
const kinds = problem === null ? (['proxy', 'namespace'] as const) : (['proxy'] as const);

test('where OFFSHOOT_TEST_NETNS asks for network namespaces, there are some', () => {
  if (process.env['OFFSHOOT_TEST_NETNS']) expect(problem).toBeNull();
  expect(kinds).toContain('proxy');
});

let stack: Awaited<ReturnType<typeof startStack>>;
let namespace: ReturnType<typeof openNamespace> | null = null;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
/** Spans are sent this soon instead of after five seconds. */
const soon = { OTEL_BSP_SCHEDULE_DELAY: '100' };
beforeAll(async () => {
  receiver = await openReceiver();
  if (problem === null) namespace = openNamespace();
  const server = namespace === null ? {} : { listen: namespace.listen };
  const all = { ...crashConfig.runners, absent: runners.absent };
  const entry = await impatientBuild();
  const telemetry = { otlpEndpoint: receiver.endpoint };
  stack = await startStack({
    config: { runners: all, limits, server, telemetry },
    entry,
    env: soon,
  });
}, 60_000);
afterAll(async () => {
  await stack.stop();
  await receiver.close();
  await namespace?.close();
}, 60_000);

const get = (id: string) => stack.client.call('getSubagent', { id });
const runsOf = (id: string) =>
  rows<{ host_id: string; state: string }>(
    stack.home,
    'SELECT host_id, state FROM runs WHERE invocation_id = ? ORDER BY run_no',
    id,
  );

describe.each(kinds)('over a %s', (kind) => {
  let network: Network;
  let host: RemoteHost;
  beforeAll(async () => {
    network = kind === 'proxy' ? await openProxy(stack.url) : namespace!;
    host = await startRemoteHost(stack, network, { name: `far-${kind}` });
    await host.untilLive();
  }, 30_000);
  afterAll(async () => {
    await host.stop();
    // What it leaves is not to be waited for by the next.
    await stack.client.call('revokeHostToken', { hostId: host.name });
    if (network !== namespace) await network.close();
  }, 60_000);

  const atTheFarEnd = async (prompt: string, runnerId = 'sh') => {
    const record = await stack.start(prompt, { runnerId });
    await untilRunning(stack.client, record.id);
    expect(runsOf(record.id)).toEqual([{ host_id: host.name, state: 'live' }]);
    return record;
  };
  /** In the folder that the host has made for it, as the server's is on another machine. */
  const fileOf = ({ id }: Pick<SubAgentRecord, 'id'>, name: string) =>
    join(host.home, 'hosts', host.name, 'work', id, name);

  test('a tree runs at the far end: agents ask for children there, and a short loss of the network costs nothing', async () => {
    const root = await startTree(stack.client);
    await untilGrown(stack.client, root);
    await until(
      async () => host.agents(),
      (pids) => pids.length >= 3,
    );
    network.cut();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    network.heal();
    await expectTrueTree(stack, root);
    await expectRunOnce(stack, root, { claimsMayBeLost: true });
    expect(runsOf(root.id).every((run) => run.host_id === host.name)).toBe(true);
  }, 90_000);

  test('what is printed and answered during a short loss arrives once, in order', async () => {
    const script =
      'echo run >> runs; for i in 1 2 3 4 5 6; do echo line $i; sleep 0.4; done; echo end';
    const record = await atTheFarEnd(script);
    network.cut();
    await until(
      async () => host.agents(),
      (left) => left.length === 0,
    );
    network.heal();
    const ended = await stack.ended(record.id);
    const lines = [1, 2, 3, 4, 5, 6].map((n) => `line ${n}`);
    expect(ended).toMatchObject({ result: { content: [...lines, 'end'].join('\n') } });
    const turns = await stack.transcript(record.id);
    expectNoRepeats(turns);
    const said = turns.filter(({ role }) => role === 'stdout').map(({ text }) => text);
    expect(said.join('')).toBe(`${[...lines, 'end'].join('\n')}\n`);
    expect(readFileSync(fileOf(record, 'runs'), 'utf8')).toBe('run\n');
  }, 60_000);

  test('a loss for longer than the lease: the host ends its processes itself, each loss is told once, and what was cancelled meanwhile is unconfirmed until then', async () => {
    const fails = await atTheFarEnd('exec sleep 120');
    const again = await atTheFarEnd(
      'case "$OFFSHOOT_RUN" in */1) exec sleep 120 ;; *) echo again ;; esac',
      'sh-again',
    );
    const child =
      'spawn callback as child: { spawn callback as leaf: { sleep 120; say leaf }; say asked }';
    const tree = await atTheFarEnd(`${child}; say asked`, 'demo');
    const { items } = await until(
      () => stack.client.call('listSubagents', { rootSessionId: tree.sessionKey }),
      (found) =>
        found.items.length === 3 &&
        found.items.some((one) => one.title === 'leaf' && one.status === 'running'),
    );
    const leaf = items.find(({ title }) => title === 'leaf')!;
    // `running` is said at the claim; the process comes a moment later.
    const agents = await until(
      async () => host.agents(),
      (pids) => pids.length >= 3,
    );

    network.cut();
    const cutAt = Date.now();
    await stack.client.call('cancelSubagent', { id: tree.id });
    // Before the server says of any of them that it is lost.
    await untilGone(agents, leaseSeconds + 6);
    expect(Date.now() - cutAt).toBeGreaterThan(leaseSeconds * 1000 - 2500);
    expect((await get(fails.id)).status).toBe('running');
    const cancelled = await stack.ended(leaf.id, 30);
    expect(cancelled).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' });
    expect(cancelled.errorHint).toContain('process unconfirmed');
    expect(await stack.ended(fails.id)).toMatchObject({ errorCode: 'outcome_unknown' });
    // What may be repeated is, by the host that is there.
    expect(await stack.ended(again.id)).toMatchObject({ status: 'completed' });
    expect(runsOf(again.id)).toEqual([
      { host_id: host.name, state: 'lost' },
      { host_id: 'local', state: 'ended' },
    ]);
    const settled = await until(
      () => get(leaf.id),
      ({ errorHint }) => errorHint === null,
    );
    expect(settled).toEqual({ ...cancelled, errorHint: null });

    network.heal();
    await host.untilLive();
    const after = await atTheFarEnd('sleep 1; echo there');
    expect(await stack.ended(after.id)).toMatchObject({ result: { content: 'there' } });
    expect(host.agents()).toEqual([]);
    expect(await get(leaf.id)).toEqual(settled);
    expect((await get(fails.id)).status).toBe('failed');
    for (const { id } of [tree, ...items]) {
      const endings = (await stack.transcript(id)).filter(
        ({ role, text }) => role === 'mark' && text.startsWith('cancelled'),
      );
      expect(endings).toHaveLength(1);
    }
    expect(mailOf(items.map(({ id }) => id))).toEqual([1, 1]);
  }, 120_000);
});

/** How many messages there are of each of those that have one. */
const mailOf = (ids: string[]) =>
  rows<{ n: number }>(
    stack.home,
    `SELECT count(*) AS n FROM mailbox WHERE invocation_id IN (SELECT value FROM json_each(?)) GROUP BY invocation_id`,
    JSON.stringify(ids),
  ).map(({ n }) => n);

/** The host itself is the child of the command that started it. */
function workerPid({ pid }: RemoteHost): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return Number(children[0]);
}

test('a token is bound to its host, can be replaced and revoked, and its host says why it ends', async () => {
  const network = await openProxy(stack.url);
  try {
    const first = await stack.client.call('issueHostToken', { hostId: 'box' });
    const second = await stack.client.call('issueHostToken', { hostId: 'box' });
    const refused = await startRemoteHost(stack, network, { name: 'box', token: first.token });
    expect(await refused.exited).toBe(5);
    expect(refused.said()).toContain('The token of this runner host was revoked');
    await refused.stop();
    const host = await startRemoteHost(stack, network, { name: 'box', token: second.token });
    await host.untilLive();
    const record = await stack.start('exec sleep 120', { runnerId: 'sh' });
    await untilRunning(stack.client, record.id);
    const agents = await until(
      async () => host.agents(),
      (pids) => pids.length > 0,
    );
    await stack.client.call('revokeHostToken', { hostId: 'box' });
    // It cannot be told to stop any more; its lease does that.
    await untilGone(agents, leaseSeconds + 8);
    await host.stop();
  } finally {
    await network.close();
  }
}, 120_000);

test('a program that its machine lacks is named with the host; what comes when that was stopped begins at once', async () => {
  const network = await openProxy(stack.url);
  const host = await startRemoteHost(stack, network, { name: 'bare' });
  try {
    await host.untilLive();
    const { id } = await stack.start('x', { runnerId: 'absent' });
    expect(await stack.ended(id)).toMatchObject({
      errorCode: 'runner_missing',
      error: expect.stringMatching(/^the program \/nowhere\/agent was .*, on runner host bare/),
    });
    await host.stop();
    await stack.ended((await stack.start('echo here', { runnerId: 'sh' })).id, 5);
  } finally {
    await host.stop();
    await stack.client.call('revokeHostToken', { hostId: 'bare' });
    await network.close();
  }
}, 60_000);

test('one trace leads from the request to a process on another machine, and on to its child there', async () => {
  const network = await openProxy(stack.url);
  const env = { ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  const host = await startRemoteHost(stack, network, { name: 'traced', env });
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  let said: { own: string; childId: string; childs: string };
  let id = '';
  try {
    await host.untilLive();
    const prompt = program(async ({ spawn, env: given, say }) => {
      const child = await spawn('SYNC', 'echo "$TRACEPARENT"');
      say({ own: given['TRACEPARENT'], childId: child.id, childs: child.result?.content });
    });
    const { body } = await ask(stack, 'POST', '/api/subagents', {
      body: { runnerId: 'js', prompt },
      headers: { traceparent: formatTraceparent({ ...caller, sampled: true }) },
    });
    ({ id } = body);
    said = JSON.parse(body.result!.content) as typeof said;
    expect([...runsOf(id), ...runsOf(said.childId)].map((run) => run.host_id)).toEqual([
      'traced',
      'traced',
    ]);
  } finally {
    // What is left is sent when it ends.
    await host.stop();
    await stack.client.call('revokeHostToken', { hostId: 'traced' });
    await network.close();
  }
  const spansOf = (invocation: string) =>
    receiver.spans.filter(
      ({ traceId, attributes }) =>
        traceId === caller.traceId && attributes['offshoot.invocation'] === invocation,
    );
  let above = caller.spanId;
  for (const [invocation, given] of [
    [id, said.own],
    [said.childId, said.childs],
  ] as const) {
    const spans = await until(
      async () => spansOf(invocation),
      (found) => found.length >= 4,
    );
    const chain = ['runSubagent', 'subAgent', 'runAgent', 'run'].map((name) =>
      spans.find((span) => span.name === name)!,
    );
    expect(chain.map((span) => span.process)).toEqual(['server', 'server', 'server', 'host']);
    const parents = [above, ...chain.slice(0, 3).map((span) => span.spanId)];
    expect(chain.map((span) => span.parentSpanId)).toEqual(parents);
    above = chain[3]!.spanId;
    expect(given).toBe(`00-${caller.traceId}-${above}-01`);
  }
}, 60_000);

test('work that was given to a host and not begun goes to another when it falls silent', async () => {
  const network = await openProxy(stack.url);
  const host = await startRemoteHost(stack, network, { name: 'silent' });
  await host.untilLive();
  const pid = workerPid(host);
  process.kill(pid, 'SIGSTOP');
  try {
    const record = await stack.start('echo moved', { runnerId: 'sh' });
    expect(
      rows(stack.home, 'SELECT host_id FROM subagent_sessions WHERE id = ?', record.id),
    ).toEqual([{ host_id: host.name }]);
    expect(await stack.ended(record.id, 30)).toMatchObject({ result: { content: 'moved' } });
    expect(runsOf(record.id)).toEqual([{ host_id: 'local', state: 'ended' }]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await host.stop();
  await stack.client.call('revokeHostToken', { hostId: host.name });
  await network.close();
}, 60_000);
