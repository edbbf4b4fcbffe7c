/** What programs have kept while the server was away, and which have ended since: the server sends it itself. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { findHookTarget } from '../../cli/hook/hook-target.ts';
import { startSendingKept } from '../../cli/hook/send-kept.ts';
import { openHookSpool } from '../../client/hook-spool.ts';
import { homePaths } from '../../contract/home.ts';
import {
  answerJson,
  answerProblem,
  withFakeServer,
  type FakeServer,
} from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { until } from './cli-harness.ts';

interface Given {
  home: string;
  server: FakeServer;
  /** Who sent which of the hooks. */
  sent(): string[];
}

function withKept(use: (given: Given) => Promise<void>): Promise<void> {
  return withFolder((home) =>
    withFakeServer(
      (_, response) => answerJson(response, {}),
      async (server) => {
        writeFileSync(join(home, 'token'), 'the-home\n');
        const sent = () =>
          server.seen.map(({ headers, body }) => `${headers.authorization} ${String(body?.n)}`);
        await use({ home, server, sent });
      },
    ),
  );
}

const keep = (home: string, n: string, environment: { url: string | null; token: string | null }) =>
  findHookTarget({ environment: { ...environment, home: null, noHooks: null }, home }).spool!.add({
    event: 'stop',
    request: { harness: 'codex', n },
  });

const sending = ({ home, server }: Given, log: string[] = []) =>
  startSendingKept({
    paths: homePaths(home),
    url: server.url,
    log: (message) => log.push(message),
    everyMs: 20,
  });

const untilSent = ({ sent }: Given, count: number) => until(() => sent().length >= count);

test("each hook goes with the token that it was kept for; another server's wait for that one", () =>
  withKept(async (given) => {
    const { home, server, sent } = given;
    keep(home, 'own', { url: null, token: null });
    keep(home, 'of a child', { url: server.url, token: 'child' });
    keep(home, 'of a token alone', { url: null, token: 'alone' });
    keep(home, 'elsewhere', { url: 'http://127.0.0.1:9', token: 'other' });
    const stop = sending(given);
    await untilSent(given, 3);
    await sleep(100);
    stop();
    expect(sent()[0]).toBe('Bearer the-home own');
    expect(sent().toSorted()).toEqual([
      'Bearer alone of a token alone',
      'Bearer child of a child',
      'Bearer the-home own',
    ]);
    expect(server.seen.map(({ headers }) => headers['x-offshoot-late-hook'])).toEqual([
      '1',
      '1',
      '1',
    ]);
  }));

test('what is kept later is sent at the next look, in its order', () =>
  withKept(async (given) => {
    const stop = sending(given);
    // The first look has found nothing.
    await sleep(100);
    const child = { url: given.server.url, token: 'child' };
    for (const n of ['1', '2', '3']) keep(given.home, n, child);
    await untilSent(given, 3);
    stop();
    expect(given.sent()).toEqual(['1', '2', '3'].map((n) => `Bearer child ${n}`));
  }));

test('what cannot be sent is told, and tried again', () =>
  withKept(async (given) => {
    const log: string[] = [];
    keep(given.home, 'own', { url: null, token: null });
    const { token } = homePaths(given.home);
    const words = readFileSync(token);
    renameSync(token, `${token}-away`);
    const stop = sending(given, log);
    await until(() => log.length > 0);
    writeFileSync(token, words);
    await untilSent(given, 1);
    stop();
    expect(log[0]).toContain('hooks that were kept in ');
  }));

test('the token lies in a file of its own user, and a spool that does not say whose it is is left alone', () =>
  withKept(async (given) => {
    const { home, server } = given;
    keep(home, 'of a child', { url: server.url, token: 'child' });
    const spools = join(home, 'spool');
    const [name = ''] = readdirSync(spools);
    expect(statSync(join(spools, name, 'server')).mode & 0o777).toBe(0o600);
    const old = join(spools, 'hooks-of-before');
    mkdirSync(old, { mode: 0o700 });
    writeFileSync(join(old, '0000000000000001-aaaaaaaa-5.json'), '{"event":"stop","request":{}}');
    const stop = sending(given);
    await untilSent(given, 1);
    await sleep(60);
    stop();
    expect(given.sent()).toEqual(['Bearer child of a child']);
  }));

test('a file that strayed there, and a spool that cannot be read, keep back none of the others', () =>
  withKept(async (given) => {
    const { home, server } = given;
    const spools = join(home, 'spool');
    keep(home, 'of a child', { url: server.url, token: 'child' });
    writeFileSync(join(spools, '.DS_Store'), '');
    const log: string[] = [];
    renameSync(join(home, 'token'), join(home, 'no-token'));
    keep(home, 'own', { url: null, token: null });
    const stop = sending(given, log);
    await untilSent(given, 1);
    stop();
    expect(given.sent()).toEqual(['Bearer child of a child']);
    // Of what is no spool nothing is said.
    expect(log.filter((one) => !one.includes(join(spools, 'hooks:')))).toEqual([]);
  }));

test('what was sent leaves no token behind, and a hook that comes meanwhile keeps it', () =>
  withKept(async (given) => {
    const { home, server } = given;
    const child = { url: server.url, token: 'child' };
    keep(home, '1', child);
    const [name = ''] = readdirSync(join(home, 'spool'));
    const folder = join(home, 'spool', name);
    const stop = sending(given);
    await until(() => !readdirSync(folder).includes('server'));
    keep(home, '2', child);
    await untilSent(given, 2);
    await until(() => !readdirSync(folder).includes('server'));
    stop();
    expect(given.sent()).toEqual(['Bearer child 1', 'Bearer child 2']);
    const spool = openHookSpool(folder, child);
    spool.add({ event: 'stop', request: { n: '3' } });
    spool.forget();
    expect(spool.server()).toEqual(child);
  }));

test('a token that is not taken any more is tried once, told, and its hooks are set aside', () =>
  withFolder((home) =>
    withFakeServer(
      (_, response) => answerProblem(response, 401, 'unauthorized'),
      async (server) => {
        const log: string[] = [];
        for (const n of ['1', '2']) keep(home, n, { url: server.url, token: 'gone' });
        const [name = ''] = readdirSync(join(home, 'spool'));
        const stop = sending({ home, server, sent: () => [] }, log);
        await until(() => log.length > 0);
        await sleep(100);
        stop();
        expect(server.seen).toHaveLength(1);
        expect(log).toEqual([expect.stringMatching(/ are set aside: /)]);
        const left = readdirSync(join(home, 'spool', name)).toSorted();
        expect(left.map((file) => file.replace(/^.*\.json/, ''))).toEqual(['.locked', '.locked']);
      },
    ),
  ));
