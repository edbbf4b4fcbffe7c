import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { homePaths } from '../../contract/home.ts';
import { storeApiPaths } from '../../contract/store-api.ts';
import {
  agentsOf,
  crashConfig,
  expectNoRepeats,
  expectRunOnce,
  expectTrueTree,
  isLiving,
  quickRestarts,
  replace,
  startTree,
  untilGrown,
  untilRunning,
  untilUp,
} from './crash-fixture.ts';
import { ask } from './requests.ts';
import { rows } from './rows.ts';
import { startStack, until } from './stack.ts';

let stack: Awaited<ReturnType<typeof startStack>>;
let configBefore: string;
const config = () => {
  const file = join(stack.home, 'config.json');
  return `${readFileSync(file, 'utf8')} ${statSync(file).mtimeMs}`;
};
beforeAll(async () => {
  stack = await startStack({ config: crashConfig, timing: quickRestarts });
  configBefore = config();
}, 60_000);
afterAll(() => stack.stop(), 60_000);

test('a server that is killed twice under a tree costs no agent, no callback, no claim and no bypass [signet 6]', async () => {
  const prompt = (sessionKey: string, runtimePath: 'plugin' | 'legacy') =>
    stack.client.call('hookUserPromptSubmit', {
      ...{ harness: 'codex', sessionKey, runtimePath, userMessage: 'hi' },
    });
  await prompt('claimed', 'plugin');
  await prompt('left alone', 'plugin');
  await stack.client.call('bypassSession', { key: 'left alone', enabled: true });
  const root = await startTree(stack.client);
  await untilGrown(stack.client, root);
  const agents = agentsOf(stack.home);
  stack.kill('server');
  await sleep(1200);
  stack.kill('server');
  // The leaves sleep for seconds yet: the same processes go on.
  expect(agents.filter(isLiving).length).toBeGreaterThanOrEqual(3);
  await expectTrueTree(stack, root);
  await expectRunOnce(stack, root);
  await expect(prompt('claimed', 'legacy')).rejects.toMatchObject({ code: 'session_claimed' });
  expect(await prompt('left alone', 'legacy')).toMatchObject({ bypassed: true });
  expect(await prompt('claimed', 'plugin')).not.toHaveProperty('bypassed');
}, 60_000);

test('agents that print and end while the server hangs and dies are heard of afterwards; SYNC callers come back to their results [orchestrator 33] [leanspec 15]', async () => {
  const prompt = 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.25; done; echo the end';
  const call = stack.client.call('runSubagent', { runnerId: 'sh', prompt });
  const polled = await stack.start(prompt, { runnerId: 'sh' });
  const failing = await stack.start('sleep 1; echo why >&2; exit 3', { runnerId: 'sh' });
  await untilRunning(stack.client, polled.id);
  await untilRunning(stack.client, failing.id);
  process.kill(stack.pid('server'), 'SIGSTOP');
  await until(
    async () => agentsOf(stack.home),
    (left) => left.length === 0,
  );
  await sleep(1000);
  stack.kill('server');
  const answer = await call;
  const lines = Array.from({ length: 8 }, (_, index) => `line ${index + 1}`);
  const content = [...lines, 'the end'].join('\n');
  expect(answer).toMatchObject({ status: 'completed', result: { content } });
  expect(await stack.ended(polled.id)).toMatchObject({ status: 'completed', result: { content } });
  expect(await stack.ended(failing.id)).toMatchObject({ errorCode: 'exit_nonzero' });
  for (const { id } of [answer, polled, failing]) {
    const turns = await stack.transcript(id);
    expectNoRepeats(turns);
    if (id === failing.id) continue;
    const said = turns.filter(({ role }) => role === 'stdout').map((turn) => turn.text);
    expect(said.join('')).toBe(`${content}\n`);
  }
}, 60_000);

/**
 * Kills the server the moment these rows are in its database, mostly before it has answered for them:
 * a loop without a pause, for the time between a commit and its answer is a fraction of a millisecond.
 */
function killWhenThere(sql: string, ids: string[]): void {
  const pid = stack.pid('server');
  const db = new BetterSqlite3(join(stack.home, 'main.db'), { readonly: true });
  const found = db.prepare(sql);
  const deadline = Date.now() + 10_000;
  let isThere = false;
  while (!isThere && Date.now() < deadline) isThere = found.get(JSON.stringify(ids)) !== undefined;
  process.kill(pid, 'SIGKILL');
  db.close();
  expect(isThere).toBe(true);
}

const ended = `SELECT 1 FROM subagent_sessions
  WHERE status = 'completed' AND id IN (SELECT value FROM json_each(?))`;
const printed = `SELECT 1 FROM turns
  WHERE role = 'stdout' AND invocation_id IN (SELECT value FROM json_each(?))`;

test('a kill while results are written leaves one row and no line twice [leanspec 17]', async () => {
  for (const moment of [ended, printed, ended]) {
    await untilUp(stack);
    const children = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        stack.start(`sleep 0.4; seq 1 ${200 + index}; echo end`, { runnerId: 'sh' }),
      ),
    );
    const ids = children.map(({ id }) => id);
    for (const id of ids) await untilRunning(stack.client, id);
    killWhenThere(moment, ids);
    for (const [index, id] of ids.entries()) {
      const record = await stack.ended(id);
      const lines = Array.from({ length: 200 + index }, (_, line) => `${line + 1}`);
      expect(record).toMatchObject({ status: 'completed' });
      expect(record.result?.content).toBe([...lines, 'end'].join('\n'));
      const turns = await stack.transcript(id);
      expectNoRepeats(turns);
      expect(turns.map(({ role }) => role).filter((role) => role === 'assistant')).toHaveLength(1);
      expect(rows(stack.home, 'SELECT 1 FROM subagent_sessions WHERE id = ?', id)).toHaveLength(1);
    }
  }
}, 90_000);

/** Stands between host and server, and cuts the connection instead of passing on an answer to a report. */
async function withAnswersLost(count: number, work: () => Promise<void>): Promise<number> {
  let lost = 0;
  const proxy = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { authorization } = request.headers;
      const answer = await fetch(`${stack.url}${request.url}`, {
        method: 'POST',
        headers: { authorization: authorization!, 'content-type': 'application/json' },
        body,
      });
      const said = await answer.text();
      const isCut = request.url === storeApiPaths.report && lost < count;
      if (isCut) {
        lost += 1;
        request.socket.destroy();
      } else response.writeHead(answer.status).end(said);
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // From then on the server does not write its file again by itself.
  await untilUp(stack);
  const { serverFile } = homePaths(stack.home);
  const before = readFileSync(serverFile, 'utf8');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  writeFileSync(serverFile, before.replace(stack.url, url));
  try {
    await work();
  } finally {
    writeFileSync(serverFile, before);
    proxy.closeAllConnections();
    proxy.close();
  }
  return lost;
}

test('a result whose acknowledgement is lost on the way is sent again and written once [leanspec 17]', async () => {
  const lost = await withAnswersLost(3, async () => {
    const { id } = await stack.start('seq 1 50; sleep 0.5; echo end', { runnerId: 'sh' });
    expect(await stack.ended(id)).toMatchObject({ status: 'completed' });
    // The repeats come a moment later.
    await sleep(1500);
    const turns = await stack.transcript(id);
    expectNoRepeats(turns);
    const roles = ['user', 'mark', 'stdout', 'stdout', 'assistant', 'mark'];
    expect(turns.map(({ role }) => role)).toEqual(roles);
  });
  expect(lost).toBe(3);
}, 60_000);

test('what has ended reads the same, byte for byte, after the server was killed [leanspec 16]', async () => {
  const { items } = await stack.client.call('listSubagents', { limit: 500 });
  expect(items.length).toBeGreaterThan(20);
  const paths = items.flatMap(({ id }) => [
    `/api/subagents/${id}`,
    `/api/subagents/${id}/transcript?limit=500`,
  ]);
  const read = async () =>
    Promise.all(paths.map(async (path) => JSON.stringify((await ask(stack, 'GET', path)).body)));
  const before = await read();
  await replace(stack, ['server']);
  expect(await read()).toEqual(before);
});

test("the user's configuration is as it was after all these restarts [leanspec 18]", async () => {
  for (let times = 0; times < 3; times += 1) await replace(stack, ['server']);
  expect(config()).toBe(configBefore);
  const { runners } = await stack.client.call('listRunners', {});
  expect(runners.map(({ id }) => id)).toEqual(['demo', ...Object.keys(crashConfig.runners)]);
});
