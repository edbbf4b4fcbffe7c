/** Hooks of a session that two agents have: kept until it is settled whose they are, and in nobody's way. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { runHook } from '../../cli/hook/run-hook.ts';
import { startSendingKept } from '../../cli/hook/send-kept.ts';
import { homePaths } from '../../contract/home.ts';
import {
  answerJson,
  answerProblem,
  withFakeServer,
  type FakeServer,
} from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { until } from './cli-harness.ts';
import { base, noVariables } from './hook-home.ts';

interface Home {
  folder: string;
  server: FakeServer;
  /** Keys that two agents have now. */
  shared: Set<string>;
  hook(session: string, prompt: string, token?: string): Promise<string>;
  /** What waits, below the spool. */
  waiting(): string[];
  /** What the server has taken. */
  taken(): string[];
  look(use: (log: string[]) => Promise<void>): Promise<void>;
}

function withHome(use: (home: Home) => Promise<void>): Promise<void> {
  const shared = new Set<string>();
  const taken: string[] = [];
  return withFolder((folder) =>
    withFakeServer(
      ({ body, headers }, response) => {
        if (shared.has(String(body?.sessionKey)))
          return answerProblem(response, 409, 'parent_conflict');
        taken.push(
          `${String(headers['x-offshoot-late-hook'] ?? 'in time')} ${String(body?.userMessage)}`,
        );
        answerJson(response, {});
      },
      async (server) => {
        const tokenFile = join(folder, 'token');
        writeFileSync(tokenFile, 'the-token\n');
        writeFileSync(join(folder, 'server.json'), JSON.stringify({ url: server.url, tokenFile }));
        await use({
          ...{ folder, server, shared },
          async hook(session_id, prompt, token) {
            const { out, err } = await runHook({
              ...base,
              environment: { ...noVariables, token: token ?? null },
              home: folder,
              stdin: Readable.from([Buffer.from(JSON.stringify({ session_id, prompt }))]),
            });
            expect(out).toBe('');
            return err;
          },
          waiting: () =>
            (readdirSync(folder, { recursive: true }) as string[])
              .filter((name) => name.endsWith('.json') && name !== 'server.json')
              .map((name) => name.replace(/[^/]*$/, '')),
          taken: () => taken,
          async look(during) {
            const log: string[] = [];
            const stop = startSendingKept({
              ...{ paths: homePaths(folder), url: server.url, everyMs: 20 },
              log: (message) => log.push(message),
            });
            await during(log).finally(stop);
          },
        });
      },
    ),
  );
}

test('one that is refused because two agents have its session is kept, and says what can be done', () =>
  withHome(async ({ hook, shared, waiting, taken }) => {
    shared.add('s1');
    const err = await hook('s1', 'hello');
    expect(err).toMatch(/^offshoot hook: .*parent_conflict.*; kept for later\n$/);
    expect(err).toContain('offshoot token create --role agent --agent <id>');
    expect(err).toContain('offshoot delete <key> --session --agent <id>');
    expect(waiting()).toEqual(['spool/hooks/unsettled/']);
    // It is in no other's way.
    expect(await hook('s2', 'of another')).toBe('');
    expect(taken()).toEqual(['in time of another']);
  }));

test('it is sent by the server once that is settled, in its order; until then it is told once', () =>
  withHome(async ({ hook, server, shared, waiting, taken, look }) => {
    for (const key of ['s1', 's2']) shared.add(key);
    for (const n of ['1', '2']) await hook('s1', n);
    await hook('s2', '3');
    const before = server.seen.length;
    await look(async (log) => {
      await until(() => log.length > 0);
      await sleep(100);
      expect(log).toEqual([
        expect.stringMatching(/until it is settled whose they are: .*token create/),
      ]);
      // What keeps back the rest of its session is asked once a look.
      const asked = server.seen.slice(before).map(({ body }) => String(body?.userMessage));
      expect(asked).toEqual(asked.map((_, index) => (index % 2 === 0 ? '1' : '3')));
      shared.delete('s1');
      // One that was taken goes only when its answer has come.
      await until(() => waiting().length === 1);
    });
    expect(taken()).toEqual(['1 1', '1 2']);
    expect(waiting()).toEqual(['spool/hooks/unsettled/']);
  }));

test('what waited in the spool and is refused so keeps back nothing behind it', () =>
  withHome(async ({ hook, server, shared, waiting, taken }) => {
    await server.stop();
    for (const [key, words] of [
      ['s1', '1'],
      ['s2', '2'],
    ] as const)
      await hook(key, words);
    await server.start();
    shared.add('s1');
    expect(await hook('s2', '3')).toBe('');
    expect(taken()).toEqual(['1 2', 'in time 3']);
    expect(waiting()).toEqual(['spool/hooks/unsettled/']);
  }));

test("with a token of the environment's own it is sent with that, which is kept no longer than it", () =>
  withHome(async ({ folder, hook, server, shared, waiting, look }) => {
    shared.add('s1');
    await hook('s1', 'hello', 'another');
    const [where = ''] = waiting();
    expect(where).toMatch(/^spool\/hooks-[0-9a-f]+\/unsettled\/$/);
    shared.clear();
    await look(() => until(() => waiting().length === 0));
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer another');
    await until(() => readdirSync(join(folder, where)).length === 0);
  }));

test('where the disk takes nothing it waits where it is', () =>
  withHome(async ({ folder, hook, server, shared, waiting }) => {
    await server.stop();
    await hook('s1', '1');
    await server.start();
    shared.add('s1');
    // No folder can be made there.
    mkdirSync(join(folder, 'spool', 'hooks'), { recursive: true });
    writeFileSync(join(folder, 'spool', 'hooks', 'unsettled'), '');
    expect(await hook('s2', '2')).toContain(
      'hooks before it could not be sent yet; kept for later',
    );
    expect(waiting()).toEqual(['spool/hooks/', 'spool/hooks/']);
  }));
