/** What may lie in a spool, or in its place: nobody waits for it, and it costs no program its words. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { HookOutput } from '../../cli/hook/run-hook.ts';
import { startSendingKept } from '../../cli/hook/send-kept.ts';
import { openHookSpool, type HookSpool } from '../../client/hook-spool.ts';
import { homePaths } from '../../contract/home.ts';
import { limits } from '../../contract/limits.ts';
import { writePidFile } from '../../engine/pid-file.ts';
import { answerJson, answerProblem, type Answer, type FakeServer } from '../client/fake-server.ts';
import { until } from './cli-harness.ts';
import { base, withHookHome } from './hook-home.ts';

interface Home {
  server: FakeServer;
  spool: HookSpool;
  /** The spool's own folder. */
  folder: string;
  hook(prompt: string, answerMs?: number): Promise<HookOutput>;
  keep(...prompts: string[]): void;
  /** The server's own look, for as long as this lasts. */
  look(during: (log: string[]) => Promise<void>): Promise<void>;
  prompts(): unknown[];
  /** All that lies there, but the time and chance of each name. */
  left(): string[];
}

const ok: Answer = (_, response) => answerJson(response, { inject: 'Known.' });

function withHome(answer: Answer, use: (home: Home) => Promise<void>): Promise<void> {
  return withHookHome(answer, async ({ folder: home, server, hook }) => {
    const paths = homePaths(home);
    const folder = paths.ownHookSpool;
    mkdirSync(folder, { recursive: true });
    const spool = openHookSpool(folder);
    await use({
      ...{ server, spool, folder },
      hook: (prompt, answerMs = base.answerMs) => hook({ session_id: 's', prompt }, { answerMs }),
      keep(...prompts) {
        for (const userMessage of prompts) {
          const request = { harness: 'claude-code', sessionKey: 's', userMessage };
          spool.add({ event: 'user-prompt-submit', request });
        }
      },
      async look(during) {
        const log: string[] = [];
        const stop = startSendingKept({
          ...{ paths, url: server.url, everyMs: 20 },
          log: (message) => log.push(message),
        });
        await during(log).finally(stop);
      },
      prompts: () => server.seen.map(({ body }) => body?.userMessage),
      left: () =>
        readdirSync(folder)
          .filter((name) => name !== 'lock')
          .map((name) => name.replace(/^\d+-\w+-\d+/, '')),
    });
  });
}

const odd = '0000000000000001-aaaaaaaa-5.json';

test.each<[string, (path: string) => void]>([
  ['half a hook', (path) => writeFileSync(path, '{"eve')],
  ['a folder', (path) => mkdirSync(path)],
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link to nowhere', (path) => symlinkSync('/nowhere/at/all', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
])('%s in place of a hook is set aside, and those around it are sent', (_, make) =>
  withHome(ok, async ({ folder, hook, keep, look, prompts, left }) => {
    make(join(folder, odd));
    keep('1');
    expect((await hook('2')).out).toContain('Known.');
    expect(prompts()).toEqual(['1', '2']);
    expect(left()).toEqual(['.json.unreadable']);
    make(join(folder, odd.replace('aaaaaaaa', 'bbbbbbbb')));
    keep('3');
    await look(() => until(() => left().length === 2));
    expect(left()).toEqual(['.json.unreadable', '.json.unreadable']);
    expect(prompts()).toEqual(['1', '2', '3']);
  }),
);

test.each<[string, (folder: string) => void]>([
  ['a file in place of the spool', (folder) => writeFileSync(folder, '')],
  ['a pipe in place of the spool', (folder) => execFileSync('mkfifo', [folder])],
  ['a link to nowhere in place of the spool', (folder) => symlinkSync('/nowhere/at/all', folder)],
  ['a pipe in place of its lock', (folder) => oddLock(folder, 'mkfifo')],
  ['a folder in place of its lock', (folder) => oddLock(folder, 'mkdir')],
])('with %s a hook goes to the server that is there', (_, make) =>
  withHome(ok, async ({ folder, server, hook, prompts }) => {
    renameSync(folder, `${folder}-away`);
    make(folder);
    const { out, err } = await hook('said');
    expect(out).toContain('Known.');
    expect(err.split('\n').length).toBeLessThanOrEqual(2);
    expect(prompts()).toEqual(['said']);
    await server.stop();
    expect((await hook('later')).out).toBe('');
  }),
);

function oddLock(folder: string, make: 'mkfifo' | 'mkdir'): void {
  openHookSpool(folder).add({ event: 'stop', request: {} });
  execFileSync(make, [join(folder, 'lock')]);
}

test('a lock whose breaker was killed, by a clock that was put back since, holds nobody up', () =>
  withHome(ok, async ({ spool, hook, keep, prompts }) => {
    keep('1');
    writePidFile(spool.lockFile, { pid: 2 ** 22 + 1, start: 'long gone' } as never);
    mkdirSync(`${spool.lockFile}.breaking`);
    execFileSync('touch', ['-d', '2 hours', `${spool.lockFile}.breaking`]);
    expect((await hook('2')).out).toContain('Known.');
    expect(prompts()).toEqual(['1', '2']);
  }));

test('while a lock is being broken a program waits no longer than for a server', () =>
  withHome(ok, async ({ spool, hook, keep }) => {
    keep('1');
    writeFileSync(spool.lockFile, 'half');
    mkdirSync(`${spool.lockFile}.breaking`);
    // Its breaker may be at it for five seconds: until then it counts as living.
    expect((await hook('2', limits.hookMs)).err).toContain('kept for later');
    expect(spool.names()).toHaveLength(2);
  }));

test('what is kept by a clock that was put back comes behind what waits', () =>
  withHome(ok, async ({ folder, hook, keep, prompts }) => {
    const tomorrow = (Date.now() + 86_400_000) * 1000;
    const text = { event: 'user-prompt-submit', request: { userMessage: '1' } };
    writeFileSync(join(folder, `${tomorrow}-aaaaaaaa-5.json`), JSON.stringify(text));
    keep('2', '3');
    await hook('4');
    expect(prompts()).toEqual(['1', '2', '3', '4']);
  }));

/** The server dies at it: the connection breaks off. */
const dieAt =
  (deadly: string): Answer =>
  ({ body }, response) => {
    if (body?.userMessage === deadly) response.destroy();
    else answerJson(response, { inject: 'Known.' });
  };

test('a hook at which the server dies is set aside after two deaths, and those behind it are sent', () =>
  withHome(dieAt('deadly'), async ({ hook, keep, prompts, left }) => {
    keep('1', 'deadly', '2');
    for (const n of ['3', '4']) {
      expect((await hook(n)).err).toContain(
        'hooks before it could not be sent yet; kept for later',
      );
    }
    expect((await hook('5')).out).toContain('Known.');
    expect(prompts()).toEqual(['1', 'deadly', 'deadly', '2', '3', '4', '5']);
    expect(left()).toEqual(['.tried-2.json.deadly']);
  }));

test('the server writes down at which hook it is before it is, and tells which it sets aside', () =>
  withHome(
    ({ body }, response) => {
      if (body?.userMessage !== 'deadly') answerJson(response, {});
    },
    async ({ spool, keep, look, prompts, left }) => {
      keep('1', 'deadly', '2');
      await look(async () => {
        await until(() => prompts().length === 2);
        // Whoever dies now leaves this behind.
        expect(left()).toEqual(['.tried-1.json', '.json']);
      });
      await until(() => left().every((name) => name === '.json'));
      const [name = ''] = spool.names();
      spool.count(name, limits.hookDeathsMax);
      await look(async (log) => {
        await until(() => prompts().includes('2') && left().length === 1);
        expect(log).toEqual([
          expect.stringMatching(/are set aside: the server has died or failed 2 times/),
        ]);
      });
      expect(prompts()).toEqual(['1', 'deadly', '2']);
      expect(left()).toEqual(['.tried-2.json.deadly']);
    },
  ));

test('a hook at which the server fails is set aside after two looks of its own, and those behind it are sent', () =>
  withHome(
    ({ body }, response) => {
      if (body?.userMessage === 'wrong') answerProblem(response, 500, 'internal');
      else answerJson(response, { inject: 'Known.' });
    },
    async ({ hook, keep, look, prompts, left }) => {
      keep('1', 'wrong', '2');
      // However often programs come upon it in a moment.
      for (const n of ['3', '4', '5']) expect((await hook(n)).err).toContain('kept for later');
      expect(left()).toEqual(Array(5).fill('.json'));
      await look(async (log) => {
        await until(() => prompts().includes('5'));
        expect(log).toEqual([
          expect.stringMatching(/are set aside: the server has died or failed/),
        ]);
      });
      expect(prompts().filter((one) => one !== 'wrong')).toEqual(['1', '2', '3', '4', '5']);
      expect((await hook('6')).out).toContain('Known.');
    },
  ));

test('a sender that is ended, and a server that is slow or away, count for no death', () =>
  withHome(
    ({ body }, response) => {
      if (body?.userMessage === 'busy') answerJson(response, {}, 503);
    },
    async ({ server, hook, keep, left }) => {
      keep('slow');
      await hook('1', limits.hookMs);
      await server.stop();
      await hook('2');
      expect(left()).toEqual(['.json', '.json', '.json']);
    },
  ));

test('a folder of unsettled hooks that is none keeps nothing else back', () =>
  withHome(ok, async ({ folder, keep, look, prompts }) => {
    writeFileSync(join(folder, 'unsettled'), '');
    keep('1');
    await look(async (log) => {
      await until(() => prompts().length === 1 && log.length > 0);
      expect(log[0]).toContain('ENOTDIR');
    });
  }));
