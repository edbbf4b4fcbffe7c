import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { takeHome } from '../../engine/home-lock.ts';
import { homePaths, hostLock } from '../../contract/home.ts';
import { localHostId } from '../../contract/names.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { isRunning } from '../../engine/process-identity.ts';
import type { ProcessName } from '../../launcher/events.ts';
import { readPidFile, writePidFile } from '../../engine/pid-file.ts';
import { writeFailure } from '../../launcher/failure-file.ts';
import { launcherStatus, stopLauncher } from '../../launcher/stop-launcher.ts';
import { until, withRoom } from './launcher-fixture.ts';

/** Without the Temporal of the user's own that the other tests name. */
const withEngine = { env: process.env };
const impatient = { askMs: 100, askAgainMs: 100, patienceMs: 1_000 };
const quiet = { leaveAgents: false, onProgress: () => {} };
const pidOf = (home: string, name: ProcessName) =>
  launcherStatus(home).processes.find((process) => process.name === name)?.pid ?? 0;

test('server and host are up when it is ready, and end in order: host, then server', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ port: 4711 });
    await launcher.ready;
    expect(launcherStatus(room.home)).toEqual({
      launcher: expect.objectContaining({ pid: process.pid }),
      processes: [
        { name: 'engine', pid: null, isRunning: false },
        { name: 'server', pid: expect.any(Number), isRunning: true },
        { name: 'host', pid: expect.any(Number), isRunning: true },
      ],
    });
    expect(room.read('started.log').toSorted()).toEqual(['host', 'server --port 4711']);
    await Promise.all([launcher.stop(), launcher.stop()]);
    expect(await launcher.finished).toBeNull();
    expect(room.read('ended.log')).toEqual(['host', 'server']);
    const { launcherFile, serverPidFile, hostPidFile } = homePaths(room.home);
    expect([launcherFile, serverPidFile, hostPidFile].filter(existsSync)).toEqual([]);
  });
});

test("an agent's identity and token do not reach the processes of the stack", async () => {
  await withRoom(async (room) => {
    const agent = { AGENT_SESSION_ID: 's', OFFSHOOT_TOKEN: 't', OFFSHOOT_RUN: 'r', PLAIN: 'p' };
    const env = { ...process.env, TEMPORAL_ADDRESS: '127.0.0.1:9', ...agent };
    const launcher = await room.launch({ env });
    await launcher.ready;
    const found = JSON.parse(room.read('server-env.json').join('')) as Record<string, string>;
    expect(Object.keys(agent).filter((name) => name in found)).toEqual(['PLAIN']);
    expect(found['OFFSHOOT_HOME']).toBe(room.home);
    await launcher.stop();
  });
});

test('a second launcher on the home is refused by name and pid', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch();
    await launcher.ready;
    await expect(room.launch()).rejects.toMatchObject({
      code: 'home_in_use',
      message: `${room.home} is looked after by process ${process.pid} already`,
    });
    await launcher.stop();
    await (await room.launch()).stop();
  });
});

test('a killed process is started again, and the others live on', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch();
    await launcher.ready;
    const [server, host] = [pidOf(room.home, 'server'), pidOf(room.home, 'host')];
    process.kill(server, 'SIGKILL');
    await until('another server', () => ![0, server].includes(pidOf(room.home, 'server')));
    await until('it is up', () => room.lines.filter((line) => line === 'server: up').length === 2);
    expect(room.lines).toContain('server: ended (signal SIGKILL), starting again in 100 ms');
    expect(pidOf(room.home, 'host')).toBe(host);
    await launcher.stop();
  });
});

test('a server that cannot start ends the launcher with its last lines, and the host with it', async () => {
  await withRoom(async (room) => {
    writeFileSync(join(room.home, 'server-is-broken'), '');
    const launcher = await room.launch({ timing: { delayMsMin: 10 } });
    await expect(launcher.ready).rejects.toMatchObject({
      code: 'server_unavailable',
      message: 'the server ended 5 times in a row (exit code 4):\nthe database cannot be opened',
      hint: expect.stringContaining('server.log'),
    });
    expect(await launcher.finished).toMatchObject({ code: 'server_unavailable' });
    expect(launcherStatus(room.home)).toMatchObject({
      launcher: null,
      processes: [{ isRunning: false }, { isRunning: false }, { isRunning: false }],
    });
  });
});

test('a launcher begins anew: why an earlier one ended is of no interest any more', async () => {
  await withRoom(async (room) => {
    const { failureFile } = homePaths(room.home);
    writeFailure(failureFile, new Error('no engine'));
    const launcher = await room.launch();
    expect(existsSync(failureFile)).toBe(false);
    await launcher.stop();
  });
});

test('a port that is taken is refused at once by its holder, before anything is started', async () => {
  await withRoom(async (room) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(room.launch({ port })).rejects.toMatchObject({
      code: 'home_in_use',
      message: expect.stringMatching(
        new RegExp(`^port ${port} is taken by .*, pid ${process.pid}$`),
      ),
      hint: expect.stringContaining('offshoot up --port 0'),
    });
    expect(room.lines).toEqual([]);
    other.close();
    // Nothing of the refused start is in the way of the next one.
    await (await room.launch({ port })).stop();
  });
});

test('what outlived a killed launcher is adopted by the next one', async () => {
  await withRoom(async (room) => {
    const first = await room.startLauncher();
    await until('all processes are up', () => room.lines.includes('all processes are up'));
    const before = [pidOf(room.home, 'server'), pidOf(room.home, 'host')];
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(launcherStatus(room.home).launcher).toBeNull();
    const launcher = await room.launch();
    await launcher.ready;
    expect([pidOf(room.home, 'server'), pidOf(room.home, 'host')]).toEqual(before);
    expect(room.lines).toContain(`server: found running (pid ${before[0]})`);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await until('another server', () => ![0, before[0]].includes(pidOf(room.home, 'server')));
    await launcher.stop();
  });
});

test('SIGTERM to the launcher ends the stack in order', async () => {
  await withRoom(async (room) => {
    const child = await room.startLauncher();
    await until('all processes are up', () => room.lines.includes('all processes are up'));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expect(room.read('ended.log')).toEqual(['host', 'server']);
  });
});

test('with leaveAgents the host is told to drain and lives on, and is adopted by the next', async () => {
  await withRoom(async (room) => {
    await room.startLauncher();
    await until('all processes are up', () => room.lines.includes('all processes are up'));
    const host = readPidFile(homePaths(room.home).hostPidFile);
    if (host === null) throw new Error('no pid file');
    const done = await stopLauncher(room.home, { ...quiet, leaveAgents: true });
    expect(done).toEqual({ wasRunning: true });
    expect(room.read('ended.log').toSorted()).toEqual(['host drains', 'server']);
    expect(isRunning(host)).toBe(true);
    const launcher = await room.launch();
    await launcher.ready;
    expect(room.lines).toContain(`runner host: found running (pid ${host.pid})`);
    writeFileSync(join(room.home, 'agents-are-done'), '');
    await until('the host has drained', () => !isRunning(host));
    rmSync(join(room.home, 'agents-are-done'));
    await until('a new host', () => ![0, host.pid].includes(pidOf(room.home, 'host')));
    await launcher.stop();
  });
});

test('down also ends what a killed launcher has left, and says when there is nothing', async () => {
  await withRoom(async (room) => {
    expect(await stopLauncher(room.home, quiet)).toEqual({ wasRunning: false });
    const child = await room.startLauncher();
    await until('all processes are up', () => room.lines.includes('all processes are up'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await stopLauncher(room.home, quiet)).toEqual({ wasRunning: true });
    expect(room.read('ended.log')).toEqual(['host', 'server']);
  });
});

test('a host of which a killed launcher made no note is adopted by the next one, and ended by down', async () => {
  await withRoom(async (room) => {
    const killLauncher = async () => {
      const launcher = await room.startLauncher();
      const isUp = () => room.lines.includes('all processes are up');
      await until('all processes are up', isUp);
      room.lines.length = 0;
      launcher.kill('SIGKILL');
      await once(launcher, 'exit');
    };
    await killLauncher();
    const { hosts, hostPidFile } = homePaths(room.home);
    const host = readPidFile(hostPidFile)!;
    // As the host itself does when it begins.
    writePidFile(hostLock(hosts, localHostId), host);
    rmSync(hostPidFile);
    await killLauncher();
    expect(room.read('started.log').filter((line) => line === 'host')).toHaveLength(1);
    expect(await stopLauncher(room.home, quiet)).toEqual({ wasRunning: true });
    expect(isRunning(host)).toBe(false);
  });
});

test('a home whose every file was deleted is not said to be stopped while its lock is held', async () => {
  await withRoom(async ({ home }) => {
    const release = takeHome(home);
    await expect(stopLauncher(home, quiet)).rejects.toMatchObject({
      code: 'home_in_use',
      message: expect.stringContaining(`offshoot server, pid ${process.pid}`),
    });
    release();
    expect(await stopLauncher(home, quiet)).toEqual({ wasRunning: false });
  });
});

test('the engine starts first and ends last, and comes back on its port when it was killed', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch(withEngine);
    await launcher.ready;
    const engineUp = room.lines.indexOf('engine: up');
    expect(engineUp).toBeGreaterThan(0);
    expect(room.lines.findIndex((line) => line.startsWith('server: '))).toBeGreaterThan(engineUp);
    const before = readEngineFile(room.home);
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await until('it is up', () => room.lines.filter((line) => line === 'engine: up').length === 2);
    const after = readEngineFile(room.home);
    expect(after?.pid).not.toBe(before?.pid);
    expect(after?.address).toBe(before?.address);
    await launcher.stop();
    expect(room.lines.filter((line) => line.endsWith(': stopped'))).toEqual([
      'runner host: stopped',
      'server: stopped',
      'engine: stopped',
    ]);
    expect(pidOf(room.home, 'engine')).toBe(0);
  });
});

test('a server that hangs is started again; while it did, the host was left alone', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ timing: impatient });
    await launcher.ready;
    const [server, host] = [pidOf(room.home, 'server'), pidOf(room.home, 'host')];
    process.kill(server, 'SIGSTOP');
    await until('another server', () => ![0, server].includes(pidOf(room.home, 'server')));
    await until('it is up', () => room.lines.filter((line) => line === 'server: up').length === 2);
    expect(room.lines).toContain(`server: does not answer any more and is ended (pid ${server})`);
    expect(pidOf(room.home, 'host')).toBe(host);
    await launcher.stop();
  });
});

test('a runner host of which the server hears nothing is started again, and nobody else is', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ timing: impatient });
    await launcher.ready;
    const [server, host] = [pidOf(room.home, 'server'), pidOf(room.home, 'host')];
    writeFileSync(join(room.home, 'host-is-silent'), '');
    await until('another host', () => ![0, host].includes(pidOf(room.home, 'host')));
    const ups = () => room.lines.filter((line) => line === 'runner host: up');
    await until('it is up', () => ups().length === 2);
    expect(room.lines).toContain(
      `runner host: does not answer any more and is ended (pid ${host})`,
    );
    expect(pidOf(room.home, 'server')).toBe(server);
    await launcher.stop();
  });
});

test('an engine that hangs is started again on its port, and nobody else is', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ ...withEngine, timing: impatient });
    await launcher.ready;
    const server = pidOf(room.home, 'server');
    const before = readEngineFile(room.home)!;
    process.kill(before.pid, 'SIGSTOP');
    await until(
      'it is up again',
      () => room.lines.filter((line) => line === 'engine: up').length === 2,
      30_000,
    );
    expect(room.lines).toContain(
      `engine: does not answer any more and is ended (pid ${before.pid})`,
    );
    const { pid, address } = readEngineFile(room.home)!;
    expect([pid === before.pid, address]).toEqual([false, before.address]);
    expect(pidOf(room.home, 'server')).toBe(server);
    await launcher.stop();
  });
}, 60_000);
