/** `offshoot hook` as agent programs run it: a process for each hook, many at once, some of them killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openHookSpool } from '../../client/hook-spool.ts';
import { homePaths } from '../../contract/home.ts';
import { answerJson, withFakeServer, type FakeServer } from '../client/fake-server.ts';
import { putFile, withFolder } from '../support/folder.ts';
import { withLoneServer } from './lone-server.ts';
import { until } from './stack.ts';

const binFile = fileURLToPath(new URL('../../bin/offshoot.mjs', import.meta.url));

test('the process prints the answer and ends with 0, in the form of the program that is named', () =>
  withHome(
    (_, response) => answerJson(response, { inject: 'Known.' }),
    async ({ home }) => {
      const ended = await run(
        home,
        ['sessionStart', '--harness', 'copilot-cli'],
        '{"sessionId":"s"}',
      );
      expect(ended).toEqual({ code: 0, out: '{"additionalContext":"Known."}\n', err: '' });
    },
  ));

test('a process whose stdin is never closed takes what came, and ends', () =>
  withHome(
    (_, response) => answerJson(response, { inject: 'Known.' }),
    async ({ home }) => {
      const child = start(home, ['Stop', '--harness', 'claude-code']);
      child.stdin?.write('{"session_id":"s"}');
      expect(await endOf(child)).toMatchObject({
        code: 0,
        out: '{"decision":"block","reason":"Known."}\n',
      });
    },
  ));

test.each([
  ['no words', [], ''],
  ['a payload that is none', ['Stop', '--harness', 'claude-code'], 'nonsense'],
])('with %s the process ends with 0 and prints nothing for the program', (_, args, stdin) =>
  withHome(
    (_request, response) => answerJson(response, {}),
    async ({ home }) => {
      const ended = await run(home, args, stdin);
      expect(ended).toMatchObject({ code: 0, out: '' });
      expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
    },
  ),
);

test.each([
  ['no server', (folder: string) => folder, /no server is running.*; kept for later$/],
  ['a server that is gone', layGone, /ECONNREFUSED.*; kept for later$/],
  ['no home', (folder: string) => join(folder, 'none'), /; not kept: there is no home$/],
  ['a file for a home', layFile, /; not kept: there is no home$/],
  [
    'a home below a file',
    (folder: string) => join(layFile(folder), 'home'),
    /; not kept: there is no home$/,
  ],
  ['no server, and a file for a spool', laySpoolFile, /no server is running.*; not kept: ENOTDIR/],
  [
    'a server that is gone, and a file for a spool',
    async (folder: string) => laySpoolFile(await layGone(folder)),
    /what was kept cannot be sent: ENOTDIR.*; connect ECONNREFUSED.*; not kept: ENOTDIR/,
  ],
])('with %s the process ends with 0, prints nothing for the program, and says why', (_, lay, why) =>
  withFolder(async (folder) => {
    const home = await lay(folder);
    const ended = await run(home, ['Stop', '--harness', 'claude-code'], '{"session_id":"s"}');
    expect(ended).toMatchObject({ code: 0, out: '' });
    expect(ended.err).toMatch(/^offshoot hook: .*\n$/);
    expect(ended.err.trimEnd()).toMatch(why);
  }),
);

test('what was kept while no server was there is sent by the server when it starts, in its order', async () => {
  const prompts = Array.from({ length: 25 }, (_, n) => `prompt ${n}`);
  const keep = async (home: string) => {
    const spool = openHookSpool(homePaths(home).ownHookSpool);
    for (const [n, userMessage] of prompts.entries()) {
      const at = new Date(Date.UTC(2026, 2, 8, 10, n)).toISOString();
      const request = {
        harness: 'codex',
        sessionKey: 's1',
        userMessage,
        at,
        idempotencyKey: `${n}`,
      };
      spool.add({ event: 'user-prompt-submit', request });
    }
  };
  await withLoneServer({ prepare: keep }, async ({ home, client }) => {
    const spool = openHookSpool(homePaths(home).ownHookSpool);
    await until(
      async () => spool.names(),
      (names) => names.length === 0,
    );
    const { content } = await client.call('getSessionTranscript', { key: 's1' });
    expect(content).toBe(prompts.map((text) => `User: ${text}`).join('\n'));
  });
}, 30_000);

test('OFFSHOOT_NO_HOOKS ends the process before it reads anything', () =>
  withHome(
    (_, response) => answerJson(response, { inject: 'x' }),
    async ({ home, server }) => {
      const child = start(home, ['Stop', '--harness', 'codex'], { OFFSHOOT_NO_HOOKS: '1' });
      expect(await endOf(child)).toEqual({ code: 0, out: '', err: '' });
      expect(server.seen).toEqual([]);
    },
  ));

test('a process that is told to end while the server thinks keeps its hook', () =>
  withHome(
    () => undefined,
    async ({ home, server }) => {
      const child = start(home, ['Stop', '--harness', 'codex']);
      child.stdin?.end('{"session_id":"s"}');
      while (server.seen.length === 0) await sleep(5);
      child.kill('SIGTERM');
      expect(await endOf(child)).toMatchObject({ code: 0, out: '' });
      expect(openHookSpool(spoolOf(home)).names()).toHaveLength(1);
    },
  ));

test('of many hooks at once none sends what waits a second time, or out of order, though the first sender dies', () =>
  withHome(slowly, async ({ home, server }) => {
    const spool = openHookSpool(spoolOf(home));
    for (let index = 0; index < 60; index += 1) {
      spool.add({
        event: 'stop',
        request: { harness: 'codex', index, idempotencyKey: `k${index}` },
      });
    }
    const args = ['Stop', '--harness', 'codex'];
    const killed = start(home, args);
    killed.stdin?.end('{"session_id":"killed"}');
    while (server.seen.length < 10) await sleep(1);
    killed.kill('SIGKILL');
    const ended = await Promise.all(
      Array.from({ length: 6 }, (_, index) => run(home, args, `{"session_id":"s${index}"}`)),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);

    let runs = 7;
    // On a slow machine some gave up waiting and left theirs behind; the next ones send them.
    for (; runs < 27 && spool.names().length > 0; runs += 1) {
      await run(home, args, '{"session_id":"last"}');
    }
    expect(readdirSync(spoolOf(home)).filter((name) => name !== 'lock')).toEqual([]);
    const order = server.seen.flatMap(({ body }) =>
      typeof body?.index === 'number' ? [body.index] : [],
    );
    // What was being sent as its sender died, or gave up on a slow machine, is sent again under its key: one for each.
    expect(order.length).toBeLessThanOrEqual(60 + runs);
    expect([...new Set(order)]).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const own = server.seen
      .map(({ body }) => String(body?.sessionKey))
      .filter((key) => /^s\d$/.test(key));
    // One whose answer was slow is told again under its key, which adds nothing.
    expect([...new Set(own)].toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4', 's5']);
  }));

test(
  'of two programs at once, some of whose hooks are killed at any point, what was kept comes in its order, each once',
  () =>
    withHome(slowly, async ({ home, server }) => {
      await server.stop();
      const kept: string[] = [];
      const program = async (key: string, killAfterMs: (n: number) => number | null) => {
        for (let n = 0; n < 12; n += 1) {
          const child = start(home, ['UserPromptSubmit', '--harness', 'codex']);
          child.stdin?.end(JSON.stringify({ session_id: key, prompt: `${key} ${n}` }));
          const after = killAfterMs(n);
          const timer = after === null ? undefined : setTimeout(() => child.kill('SIGKILL'), after);
          const { err } = await endOf(child);
          clearTimeout(timer);
          if (err.includes('kept for later')) kept.push(`${key} ${n}`);
        }
      };
      // From before it reads anything to when it is over.
      const often = (n: number) => (n % 2 === 0 ? 20 + 8 * n : null);
      await Promise.all([program('a', often), program('b', (n) => often(n + 1))]);
      await server.start();
      const spool = openHookSpool(spoolOf(home));
      for (let runs = 0; runs < 20 && spool.names().length > 0; runs += 1) {
        await Promise.all(
          ['x', 'y'].map((key) =>
            run(home, ['Stop', '--harness', 'codex'], `{"session_id":"${key}"}`),
          ),
        );
      }
      expect(spool.names()).toEqual([]);
      const sent = server.seen.filter(({ url }) => url?.endsWith('user-prompt-submit'));
      const said = [
        ...new Map(sent.map(({ body }) => [body?.idempotencyKey, body?.userMessage])).values(),
      ];
      for (const key of ['a', 'b']) {
        const own = said.map(String).filter((text) => text.startsWith(key));
        const numbers = own.map((text) => Number(text.slice(2)));
        expect(numbers).toEqual([...new Set(numbers)].toSorted((one, two) => one - two));
        expect(own).toEqual(expect.arrayContaining(kept.filter((text) => text.startsWith(key))));
      }
      expect(kept.length).toBeGreaterThanOrEqual(12);
    }),
  60_000,
);

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function run(home: string, args: readonly string[], stdin: string): Promise<Ended> {
  const child = start(home, args);
  child.stdin?.end(stdin);
  return endOf(child);
}

function start(
  home: string,
  args: readonly string[],
  more: Record<string, string> = {},
): ChildProcess {
  const { OFFSHOOT_URL: _url, OFFSHOOT_TOKEN: _token, ...env } = process.env;
  return spawn(process.execPath, [binFile, 'hook', ...args], {
    env: { ...env, OFFSHOOT_HOME: home, ...more },
  });
}

function endOf(child: ChildProcess): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (ended.out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (ended.err += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

/** A home whose server has ended without removing what it said of itself: nobody listens there. */
async function layGone(home: string): Promise<string> {
  await withFakeServer(
    () => {},
    async ({ url }) => layServer(home, url),
  );
  return home;
}

function laySpoolFile(home: string): string {
  mkdirSync(join(home, 'spool'));
  writeFileSync(spoolOf(home), '');
  return home;
}

function layFile(folder: string): string {
  putFile(folder, 'file');
  return join(folder, 'file');
}

function spoolOf(home: string): string {
  return join(home, 'spool', 'hooks');
}

async function slowly(...[, response]: Parameters<Parameters<typeof withFakeServer>[0]>) {
  await sleep(3);
  answerJson(response, {});
}

function withHome(
  answer: Parameters<typeof withFakeServer>[0],
  use: (given: { home: string; server: FakeServer }) => Promise<void>,
): Promise<void> {
  return withFolder((home) =>
    withFakeServer(answer, async (server) => {
      layServer(home, server.url);
      await use({ home, server });
    }),
  );
}

function layServer(home: string, url: string): void {
  const tokenFile = join(home, 'token');
  writeFileSync(tokenFile, 'the-token\n');
  writeFileSync(join(home, 'server.json'), JSON.stringify({ url, tokenFile }));
}
