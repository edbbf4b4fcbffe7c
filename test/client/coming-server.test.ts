/** A server that ends in order takes its file along, and its launcher starts the next one. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import { SubAgentSessionManager } from '../../client/index.ts';
import { homePaths } from '../../contract/home.ts';
import { cli, writeServerFile } from '../cli/cli-harness.ts';
import { withFolder } from '../support/folder.ts';
import { answerJson, recordOf, withFakeServer } from './fake-server.ts';

/** As `launcher/launcher-file.ts` leaves it. */
function writeLauncherFile(home: string, fields: object = {}): void {
  const { launcherFile } = homePaths(home);
  mkdirSync(dirname(launcherFile), { recursive: true });
  const { dev, ino } = statSync(dirname(launcherFile), { bigint: true });
  const note = { pid: process.pid, start: 'x', folder: `${dev}:${ino}`, ...fields };
  writeFileSync(launcherFile, JSON.stringify(note));
}

const withLateServer = (use: (home: string, start: () => void) => Promise<void>) =>
  withFolder((home) =>
    withFakeServer(
      (_, response) => answerJson(response, recordOf()),
      ({ url }) => use(home, () => writeServerFile(home, { url, pid: process.pid })),
    ),
  );

const isGone = { code: 'server_unavailable', hint: 'Start it with `offshoot up`.' };

test('while a launcher starts its server again, the command line and the library wait for it', async () => {
  await withLateServer(async (home, start) => {
    writeLauncherFile(home);
    setTimeout(start, 1_300);
    const manager = new SubAgentSessionManager({ home });
    const [run, session] = await Promise.all([
      cli(['get', 'sub_1'], { home }),
      manager.get('sub_1'),
    ]);
    expect(run.exitCode).toBe(0);
    expect(run.err).toBe(`The server of ${home} is being started; trying for 30 s.\n`);
    expect(session?.id).toBe('sub_1');
  });
});

test('it is waited for as long as its launcher lives, as the caller has patience, and as nobody gives up', async () => {
  await withLateServer(async (home, start) => {
    writeLauncherFile(home);
    await expect(
      new SubAgentSessionManager({ home, retryMs: 300 }).get('sub_1'),
    ).rejects.toMatchObject(isGone);
    const manager = new SubAgentSessionManager({ home });
    const signal = AbortSignal.timeout(200);
    await expect(manager.wait('sub_1', { signal })).rejects.toThrow();
    const waiting = manager.get('sub_1');
    setTimeout(() => rmSync(homePaths(home).launcherFile), 200);
    await expect(waiting).rejects.toMatchObject(isGone);
    start();
    expect((await manager.get('sub_1'))?.id).toBe('sub_1');
  });
});

test.each([
  ['is ending the stack', { isStopping: true }],
  ['has ended', { pid: 2 ** 22 + 1 }],
  ['is the one of the home that this is a copy of', { folder: '0:0' }],
])('a server is not waited for where its launcher %s', async (_, fields) => {
  await withFolder(async (home) => {
    writeLauncherFile(home, fields);
    const begunAt = performance.now();
    await expect(new SubAgentSessionManager({ home }).get('sub_1')).rejects.toMatchObject(isGone);
    // For one that comes half a minute.
    expect(performance.now() - begunAt).toBeLessThan(15_000);
  });
});
