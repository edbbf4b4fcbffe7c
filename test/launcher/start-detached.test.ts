import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { writeFailure } from '../../launcher/failure-file.ts';
import { stoppingLauncher } from '../../launcher/launcher-file.ts';
import { readHealth } from '../../launcher/server-health.ts';
import { startDetached } from '../../launcher/start-detached.ts';
import { launcherStatus, stopLauncher } from '../../launcher/stop-launcher.ts';
import { launcherProgram, until, withRoom } from './launcher-fixture.ts';

let program = '';
beforeAll(async () => void (program = await launcherProgram()));

function optionsFor(home: string, lines: string[]) {
  return {
    home,
    port: null,
    env: { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:9' },
    onProgress: (line: string) => lines.push(line),
    launcherProgram: program,
  };
}

const launcherLog = (home: string) =>
  readFileSync(join(homePaths(home).logs, 'launcher.log'), 'utf8');

const brokenServer = 'the server ended (exit code 4):\nthe database cannot be opened';

test('it answers when the stack is ready, and a second time finds it running', async () => {
  await withRoom(async ({ home }) => {
    const lines: string[] = [];
    const first = await startDetached(optionsFor(home, lines));
    expect(first).toMatchObject({ wasRunning: false, health: { status: 'ready' } });
    expect(lines).toContainEqual(expect.stringMatching(/^server: started/));
    const { launcher } = launcherStatus(home);
    const second = await startDetached(optionsFor(home, []));
    expect(second).toMatchObject({ wasRunning: true, health: { pid: first.health.pid } });
    expect(launcherStatus(home).launcher).toEqual(launcher);
    const told: string[] = [];
    await stopLauncher(home, { leaveAgents: false, onProgress: (line) => told.push(line) });
    expect(launcherStatus(home).processes.some(({ isRunning }) => isRunning)).toBe(false);
  });
});

test('a named Temporal that is away is not waited for as long as our own', async () => {
  await withRoom(async ({ home }) => {
    writeFileSync(join(home, 'engine-is-away'), '');
    const from = Date.now();
    const { health } = await startDetached(optionsFor(home, []));
    expect(health).toMatchObject({ status: 'degraded', engine: { address: '127.0.0.1:9' } });
    expect(Date.now() - from).toBeLessThan(20_000);
  });
});

test('of several that start at once one brings the stack up, and all answer when it is ready', async () => {
  await withRoom(async ({ home }) => {
    const starts = [1, 2, 3].map(() => startDetached(optionsFor(home, [])));
    const pids = (await Promise.all(starts)).map(({ health }) => health.pid);
    expect(new Set(pids).size).toBe(1);
  });
});

test('a stack that is being ended is not found running: another one is started when it has ended', async () => {
  await withRoom(async ({ home, read }) => {
    const first = await startDetached(optionsFor(home, []));
    const { launcher } = launcherStatus(home);
    process.kill(launcher!.pid, 'SIGTERM');
    await until('it says so', () => stoppingLauncher(home) !== null);
    const lines: string[] = [];
    const second = await startDetached(optionsFor(home, lines));
    expect(second).toMatchObject({ wasRunning: false, health: { status: 'ready' } });
    expect(second.health.pid).not.toBe(first.health.pid);
    expect(lines[0]).toBe(`waiting for process ${launcher!.pid}, which is ending the stack`);
    expect(read('ended.log')).toEqual(['host', 'server']);
  });
});

test('one that dies while it is waited for is followed by another, which brings the stack up', async () => {
  await withRoom(async ({ home }) => {
    const first = await startDetached(optionsFor(home, []));
    const { pid } = launcherStatus(home).launcher!;
    // As one that is killed is for a moment: still to be seen, and not to start anything any more.
    process.kill(pid, 'SIGSTOP');
    process.kill(first.health.pid, 'SIGKILL');
    while ((await readHealth(home)) !== null) await sleep(20);
    const second = startDetached(optionsFor(home, []));
    await sleep(300);
    process.kill(pid, 'SIGKILL');
    expect(await second).toMatchObject({ wasRunning: false, health: { status: 'ready' } });
    expect(launcherStatus(home).launcher!.pid).not.toBe(pid);
  });
});

test('a launcher that is only starting is ended before it starts anything', async () => {
  await withRoom(async ({ home }) => {
    const start = startDetached(optionsFor(home, []));
    const failed = expect(start).rejects.toMatchObject({ code: 'server_unavailable' });
    expect(launcherStatus(home).launcher).toBeNull();
    const stopped = await stopLauncher(home, { leaveAgents: true, onProgress: () => {} });
    expect(stopped).toEqual({ wasRunning: true });
    await failed;
    expect(launcherStatus(home).launcher).toBeNull();
    expect(launcherStatus(home).processes.some(({ isRunning }) => isRunning)).toBe(false);
  });
});

test('a stack whose pid files were deleted is not said to be stopped, and can be a moment later', async () => {
  await withRoom(async ({ home }) => {
    const { health } = await startDetached(optionsFor(home, []));
    const { launcherFile, serverPidFile, hostPidFile } = homePaths(home);
    [launcherFile, serverPidFile, hostPidFile].forEach((file) => rmSync(file));
    const stop = () => stopLauncher(home, { leaveAgents: false, onProgress: () => {} });
    await expect(stop()).rejects.toMatchObject({
      code: 'home_in_use',
      message: expect.stringContaining(`pid ${health.pid}`),
    });
    expect(await readHealth(home)).toMatchObject({ pid: health.pid });
    await until('it has its file again', () => launcherStatus(home).launcher !== null);
    expect(await stop()).toEqual({ wasRunning: true });
    expect(await readHealth(home)).toBeNull();
  });
});

test('a start that fails is answered once, with what the server said last', async () => {
  await withRoom(async ({ home }) => {
    writeFileSync(join(home, 'server-is-broken'), '');
    const lines: string[] = [];
    const start = () => startDetached(optionsFor(home, lines));
    const refusal = {
      code: 'server_unavailable',
      message: 'the server ended 5 times in a row (exit code 4):\nthe database cannot be opened',
      hint: expect.stringContaining('server.log'),
    };
    await expect(start()).rejects.toMatchObject(refusal);
    expect(lines.filter((line) => line.includes('cannot be opened'))).toEqual([]);
    // What stood in the log before is of no interest to the next start.
    await expect(start()).rejects.toMatchObject(refusal);
  });
});

test('why another launcher ended keeps nobody waiting on a stack that is well', async () => {
  await withRoom(async ({ home, startLauncher, lines }) => {
    const { failureFile } = homePaths(home);
    writeFailure(failureFile, new Error('no engine'));
    const launcher = await startLauncher();
    await until('all processes are up', () => lines.includes('all processes are up'));
    const over = () => sleep(15_000, null, { ref: false });
    const again = () => Promise.race([startDetached(optionsFor(home, [])), over()]);
    expect(await again()).toMatchObject({ wasRunning: true });
    // One that failed can write its file when the home is another's already.
    writeFailure(failureFile, new Error('no engine'));
    expect(await again()).toMatchObject({ wasRunning: true });
    expect(launcherStatus(home).launcher?.pid).toBe(launcher.pid);
  });
});

test('a server that dies for good before the stack is whole ends the wait of whoever started it', async () => {
  await withRoom(async ({ home }) => {
    writeFileSync(join(home, 'engine-is-away'), '');
    const onProgress = (line: string) => {
      if (line !== 'all processes are up') return;
      writeFileSync(join(home, 'server-is-broken'), '');
      const { processes } = launcherStatus(home);
      process.kill(processes.find(({ name }) => name === 'server')!.pid!, 'SIGKILL');
    };
    const start = startDetached({ ...optionsFor(home, []), onProgress, vainMsMax: 1500 });
    await expect(start).rejects.toMatchObject({
      code: 'server_unavailable',
      message: `Offshoot could not be started: ${brokenServer}`,
      hint: expect.stringContaining('offshoot down, offshoot up'),
    });
  });
});

test('on a stack of which a part keeps ending it says so after a while, though the launcher goes on trying', async () => {
  await withRoom(async ({ home }) => {
    const { health } = await startDetached(optionsFor(home, []));
    // The server is well a moment before the launcher has seen it: only from then on it tries for ever.
    await until('the launcher has seen it', () =>
      launcherLog(home).includes('all processes are up'),
    );
    writeFileSync(join(home, 'server-is-broken'), '');
    process.kill(health.pid, 'SIGKILL');
    const lines: string[] = [];
    const again = startDetached({ ...optionsFor(home, lines), vainMsMax: 1500 });
    await expect(again).rejects.toMatchObject({
      code: 'server_unavailable',
      message: `Offshoot could not be started: ${brokenServer}`,
    });
    expect(lines).toContainEqual(expect.stringMatching(/^server: ended \(exit code 4\)/));
    rmSync(join(home, 'server-is-broken'));
    expect(await startDetached(optionsFor(home, []))).toMatchObject({ wasRunning: true });
  });
});
