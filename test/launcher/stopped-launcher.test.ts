/** A launcher that lives and does nothing (SIGSTOP, a debugger) keeps nobody from ending its stack. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { readPidFile, writePidFile } from '../../engine/pid-file.ts';
import { isRunning } from '../../engine/process-identity.ts';
import { launcherStatus, stopLauncher } from '../../launcher/stop-launcher.ts';
import { until, withRoom, type Room } from './launcher-fixture.ts';

async function withStoppedLauncher(room: Room): Promise<number> {
  const { pid } = await room.startLauncher();
  await until('all processes are up', () => room.lines.includes('all processes are up'));
  process.kill(pid!, 'SIGSTOP');
  return pid!;
}

test('down kills a launcher that does not begin to end the stack, and ends it in order itself', async () => {
  await withRoom(async (room) => {
    const pid = await withStoppedLauncher(room);
    const told: string[] = [];
    const onProgress = (line: string) => told.push(line);
    const how = { leaveAgents: false, onProgress, stuckMsMax: 500 };
    expect(await stopLauncher(room.home, how)).toEqual({ wasRunning: true });
    expect(told[0]).toBe(`the launcher (pid ${pid}) does not end the stack and is killed`);
    expect(room.read('ended.log')).toEqual(['host', 'server']);
    const { launcher, processes } = launcherStatus(room.home);
    expect([launcher, ...processes.filter((one) => one.isRunning)]).toEqual([null]);
  });
});

test('with leaveAgents the host is then told to drain by down itself, and lives on', async () => {
  await withRoom(async (room) => {
    await withStoppedLauncher(room);
    const host = readPidFile(homePaths(room.home).hostPidFile)!;
    const how = { leaveAgents: true, onProgress: () => {}, stuckMsMax: 500 };
    expect(await stopLauncher(room.home, how)).toEqual({ wasRunning: true });
    await until('it drains', () => room.read('ended.log').includes('host drains'));
    expect(room.read('ended.log').toSorted()).toEqual(['host drains', 'server']);
    expect(isRunning(host)).toBe(true);
  });
});

test('one that has begun to end the stack gets the time that its own steps may take', async () => {
  await withRoom(async (room) => {
    const pid = await withStoppedLauncher(room);
    const { launcherFile } = homePaths(room.home);
    const note = { ...readPidFile(launcherFile)!, isStopping: true, killGraceMs: 60_000 };
    writePidFile(launcherFile, note);
    const told: string[] = [];
    const onProgress = (line: string) => told.push(line);
    const how = { leaveAgents: false, onProgress, stuckMsMax: 0, killGraceMs: 0 };
    const down = stopLauncher(room.home, how);
    await sleep(1_000);
    expect(isRunning(note)).toBe(true);
    process.kill(pid, 'SIGCONT');
    expect(await down).toEqual({ wasRunning: true });
    expect(told.filter((line) => line.includes('killed'))).toEqual([]);
    expect(room.read('ended.log')).toEqual(['host', 'server']);
  });
});
