/** `rm -rf $OFFSHOOT_HOME` under a stack that runs: nobody could find its launcher any more. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { isRunning, type ProcessId } from '../../engine/process-identity.ts';
import { readPidFile } from '../../engine/pid-file.ts';
import { until, withRoom } from './launcher-fixture.ts';

const remove = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 3 });

function stackOf(home: string): ProcessId[] {
  const { serverPidFile, hostPidFile } = homePaths(home);
  return [readPidFile(serverPidFile)!, readPidFile(hostPidFile)!];
}

test('a launcher whose home was deleted says so once, ends its stack and itself, and brings no home back', async () => {
  await withRoom(async ({ home, startLauncher, lines }) => {
    const launcher = startLauncher();
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
    const other = room.startLauncher();
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
