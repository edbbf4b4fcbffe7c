/** `rm -rf $OFFSHOOT_HOME`, or of `run/` in it, under a stack that runs: nobody could find it any more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { isRunning, type ProcessId } from '../../engine/process-identity.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { launcherStatus } from '../../launcher/stop-launcher.ts';
import { withFolder } from '../support/folder.ts';
import { fixture, until, withRoom } from './launcher-fixture.ts';

const remove = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 3 });

function stackOf(home: string): ProcessId[] {
  const { serverPidFile, hostPidFile } = homePaths(home);
  return [readPidFile(serverPidFile)!, readPidFile(hostPidFile)!];
}

test('a launcher whose home was deleted says so once, ends its stack and itself, and brings no home back', async () => {
  await withRoom(async ({ home, startLauncher, lines }) => {
    const launcher = await startLauncher();
    await until('all processes are up', () => lines.includes('all processes are up'));
    const stack = stackOf(home);
    const exit = once(launcher, 'exit');
    remove(home);
    expect(await exit).toEqual([1, null]);
    expect(stack.filter(isRunning)).toEqual([]);
    expect(lines.filter((line) => line.includes('deleted, moved or replaced'))).toHaveLength(1);
    expect(existsSync(home)).toBe(false);
  });
});

test('in a home that took the place of its own a launcher starts, writes and ends nothing', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch({ timing: { delayMsMin: 10 } });
    await launcher.ready;
    const [server, host] = stackOf(room.home) as [ProcessId, ProcessId];
    remove(room.home);
    mkdirSync(room.home);
    process.kill(server.pid, 'SIGKILL');
    await until('the server is gone', () => !isRunning(server));
    const other = await room.startLauncher();
    const isUp = () => room.lines.filter((line) => line === 'all processes are up').length === 2;
    await until('the stack of the new home is up', isUp);
    expect(await launcher.finished).toMatchObject({ code: 'home_unusable' });
    expect(isRunning(host)).toBe(false);
    expect(stackOf(room.home).every(isRunning)).toBe(true);
    expect(room.read('started.log')).toHaveLength(2);
    expect(readPidFile(homePaths(room.home).launcherFile)).toMatchObject({ pid: other.pid });
    expect(readdirSync(`${room.home}/run`).toSorted()).toEqual([
      'host.json',
      'launcher.json',
      'server.json',
    ]);
  });
});

test('the files of the processes that live are put back when their folder was deleted', async () => {
  await withRoom(async ({ home, launch }) => {
    // With an engine of its own.
    const launcher = await launch({ env: process.env });
    await launcher.ready;
    const before = launcherStatus(home);
    const engine = readEngineFile(home);
    remove(join(home, 'run'));
    expect(launcherStatus(home).processes.map((one) => one.isRunning)).not.toContain(true);
    const isWhole = () => launcherStatus(home).processes.every((one) => one.isRunning);
    await until('all files are there again', isWhole);
    expect(launcherStatus(home)).toEqual(before);
    expect(readEngineFile(home)).toEqual(engine);
    await launcher.stop();
    const { launcherFile, serverPidFile, hostPidFile } = homePaths(home);
    expect([launcherFile, serverPidFile, hostPidFile].filter(existsSync)).toEqual([]);
  });
});

test.each(['fake-host', 'fake-server'])(
  'a %s that ends late leaves the file of the one that came after it',
  async (program) => {
    await withFolder(async (home) => {
      const file = join(home, program === 'fake-host' ? 'fake-host.json' : 'server.json');
      const child = spawn(process.execPath, [fixture(`${program}.mjs`)], {
        env: { ...process.env, OFFSHOOT_HOME: home },
      });
      await until('it has written its file', () => existsSync(file));
      const other = JSON.stringify({ pid: process.pid });
      writeFileSync(file, other);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      expect(readFileSync(file, 'utf8')).toBe(other);
    });
  },
);
