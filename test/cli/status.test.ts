/** `status` where there is no health to show: it is quick, and says what lives all the same. */
import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { homePaths, type HomePaths } from '../../contract/home.ts';
import { writePidFile } from '../../engine/pid-file.ts';
import { identifyProcess } from '../../engine/process-identity.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { cli, writeServerFile } from './cli-harness.ts';
import { health } from './doctor-fixture.ts';

type Named = 'launcherFile' | 'serverPidFile' | 'hostPidFile';

const { pid } = process;
const self = identifyProcess(pid)!;

/** A home whose files name this process as these parts of the stack. */
const withLiving = (living: Named[], use: (home: string, paths: HomePaths) => Promise<void>) =>
  withFolder(async (home) => {
    const paths = homePaths(home);
    for (const name of living) writePidFile(paths[name], self);
    await use(home, paths);
  });

const jsonOf = async (home: string) =>
  JSON.parse((await cli(['status', '--json'], { home })).out) as Record<string, unknown>;

test('a server that lives and is silent is told before anybody loses patience, with what will become of it', async () => {
  await withFakeServer(
    () => {},
    ({ url }) =>
      withLiving(['launcherFile', 'serverPidFile', 'hostPidFile'], async (home) => {
        writeServerFile(home, { url, pid });
        const begunAt = performance.now();
        const { exitCode, out } = await cli(['status'], { home });
        // It never answers; 2.5 s are given to it.
        expect(performance.now() - begunAt).toBeLessThan(25_000);
        expect(exitCode).toBe(4);
        expect(`\n${out}`).toBe(`
not answering
  server     The server at ${url} is silent: no answer in 2.5 s.
             Process ${pid} lives. Its launcher ends a server that stays silent, and starts another one.
  home       ${home}
  processes  launcher ${pid}, server ${pid}, host ${pid}
`);
      }),
  );
});

test('a server that its launcher starts again is restarting, and one that it ends is not', async () => {
  await withLiving(['launcherFile'], async (home, { launcherFile }) => {
    const { exitCode, out } = await cli(['status'], { home });
    expect(exitCode).toBe(4);
    expect(`\n${out}`).toBe(`
restarting
  server     None at the moment.
             Its launcher is starting it.
  home       ${home}
  processes  launcher ${pid}
`);
    const stopping = { ...self, isStopping: true };
    writePidFile(launcherFile, stopping);
    expect((await cli(['status'], { home })).out).toContain('stopping\n  server     The stack is');
  });
});

test('a server that lives and has no file yet is not told to be none', async () => {
  await withLiving(['launcherFile', 'serverPidFile'], async (home) => {
    expect(`\n${(await cli(['status'], { home })).out}`).toBe(`
not answering
  server     Process ${pid} lives, and has not said where it listens.
             It is starting or ending: look again in a few seconds.
  home       ${home}
  processes  launcher ${pid}, server ${pid}
`);
  });
});

test('the address for runner hosts elsewhere is shown, and none where the server has no other', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, health),
    ({ url }) =>
      withLiving(['launcherFile', 'serverPidFile'], async (home) => {
        writeServerFile(home, { url, pid });
        expect((await cli(['status'], { home })).out).not.toContain('elsewhere');
        expect(await jsonOf(home)).toMatchObject({ url, remoteUrl: null });
        const remoteUrl = 'http://10.0.0.1:8464';
        writeServerFile(home, { url, pid, remoteUrl });
        const shown = `  elsewhere    ${remoteUrl}\n`;
        expect((await cli(['status'], { home })).out).toContain(shown);
        expect(await jsonOf(home)).toMatchObject({ url, remoteUrl });
        const up = await cli(['up', '--detach'], { home });
        expect(up.out).toContain(shown);
      }),
  );
});

test('what runs without a launcher is told so, well or not', async () => {
  const none =
    '  launcher     none: what dies is not started again; offshoot up --detach starts one\n';
  await withFakeServer(
    (_, response) => answerJson(response, health),
    ({ url }) =>
      withLiving(['serverPidFile'], async (home) => {
        writeServerFile(home, { url, pid });
        const { exitCode, out } = await cli(['status'], { home });
        expect([exitCode, out.split('\n')[0]]).toEqual([0, 'ready']);
        expect(out).toContain(`  processes    server ${pid}\n${none}`);
      }),
  );
  await withLiving(['serverPidFile', 'hostPidFile'], async (home) => {
    writeServerFile(home, { url: 'http://127.0.0.1:9', pid });
    const { exitCode, out } = await cli(['status'], { home });
    expect([exitCode, out.split('\n')[0]]).toEqual([4, 'not answering']);
    expect(out).toContain('`offshoot down`, then `offshoot up`, starts another one.');
    expect(out).toContain('  launcher   none: what dies');
  });
});

test('a mistake in the configuration is told by a stack that is well otherwise', async () => {
  await withFakeServer(
    (_, response) => answerJson(response, health),
    ({ url }) =>
      withLiving(['launcherFile', 'serverPidFile'], async (home, { configFiles: [file] }) => {
        writeServerFile(home, { url, pid });
        writeFileSync(file, 'limits: { slots: 3 }\n');
        expect((await cli(['status'], { home })).out).not.toContain('configuration');
        expect((await jsonOf(home))['problem']).toBeNull();
        writeFileSync(file, 'limits: { slotz: 3, slott: 4 }\n');
        const { exitCode, out } = await cli(['status'], { home });
        expect([exitCode, out.split('\n')[0]]).toEqual([0, 'ready']);
        const mistake = `${file}: limits.slotz: is not a known key; did you mean \`slots\`?`;
        const hint = 'New requests are refused until it is mended: offshoot config check';
        expect(out).toContain(`  configuration  ${mistake}\n                 ${hint}\n`);
        expect(await jsonOf(home)).toMatchObject({
          state: 'ready',
          problem: { code: 'config_invalid', message: mistake, hint },
        });
      }),
  );
});

test('a host that `down --leave-agents` has left finishes its agents', async () => {
  await withLiving(['hostPidFile'], async (home) => {
    expect(`\n${(await cli(['status'], { home })).out}`).toBe(`
not running
  server       No server is running on ${home}.
               Start it with \`offshoot up\`.
  home         ${home}
  processes    host ${pid}
  runner host  finishes its agents; the answers are taken in at the next offshoot up
`);
  });
});

test('with --json the problem is an error like any other: code, message and hint', async () => {
  await withFolder(async (home) => {
    expect(await jsonOf(home)).toMatchObject({
      state: 'not running',
      launcher: null,
      health: null,
    });
    expect((await jsonOf(home))['problem']).toEqual({
      code: 'server_unavailable',
      message: `No server is running on ${home}.`,
      hint: 'Start it with `offshoot up`.',
    });
    writeServerFile(home, { url: 'http://127.0.0.1:9', pid });
    writeFileSync(homePaths(home).token, 'off_x\n');
    expect((await jsonOf(home))['problem']).toMatchObject({
      message: expect.stringContaining('does not answer'),
      hint: expect.stringContaining('offshoot up'),
    });
  });
});
