/** `cp -a home copy` of a home that is in use: the copy must neither adopt nor end what belongs to the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { folderMark } from '../../engine/pid-file.ts';
import { homePaths } from '../../contract/home.ts';
import { hostMarkerPrefix, localHostId, markerHome } from '../../contract/names.ts';
import { identifyProcess, isRunning } from '../../engine/process-identity.ts';
import { launcherStatus, stopLauncher } from '../../launcher/stop-launcher.ts';
import { startRunnerHost } from '../../worker/host/runner-host.ts';
import { withRoom, type Room } from './launcher-fixture.ts';

const quiet = { leaveAgents: false, onProgress: () => {}, killGraceMs: 100 };

function copyOf(room: Room): string {
  const copy = `${room.home}-copy`;
  cpSync(room.home, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

test('a copy has no launcher, server or host running, and its down ends none', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch();
    await launcher.ready;
    const copy = copyOf(room);
    const before = launcherStatus(room.home);
    expect(before.processes.map((one) => one.isRunning)).toEqual([false, true, true]);
    expect(launcherStatus(copy)).toEqual({
      launcher: null,
      processes: before.processes.map(({ name }) => ({ name, pid: null, isRunning: false })),
    });
    expect(await stopLauncher(copy, quiet)).toEqual({ wasRunning: false });
    expect(launcherStatus(room.home)).toEqual(before);
    await launcher.stop();
  });
});

test('a copy starts a server and a host of its own', async () => {
  await withRoom(async (room) => {
    const launcher = await room.launch();
    await launcher.ready;
    const copy = copyOf(room);
    const other = await room.launch({ home: copy });
    await other.ready;
    const pids = (home: string) => launcherStatus(home).processes.map((one) => one.pid);
    expect(pids(copy).slice(1)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(pids(copy).filter((pid) => pid && pids(room.home).includes(pid))).toEqual([]);
    await other.stop();
    expect(launcherStatus(room.home).processes.map((one) => one.isRunning)).toEqual([
      false,
      true,
      true,
    ]);
    await launcher.stop();
  });
});

test('neither down nor a new host of a copy ends the agents of the other, as their own down does', async () => {
  await withRoom(async (room) => {
    const folder = join(homePaths(room.home).hosts, localHostId);
    mkdirSync(folder, { recursive: true });
    const home = markerHome('abcd', folderMark(join(folder, 'home-id')));
    writeFileSync(join(folder, 'home-id'), home);
    const env = { ...process.env, OFFSHOOT_RUN: `${hostMarkerPrefix(home, localHostId)}sub_1/1` };
    const agent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env });
    await once(agent, 'spawn');
    const id = identifyProcess(agent.pid!)!;
    const copy = copyOf(room);
    await stopLauncher(copy, quiet);
    expect(isRunning(id)).toBe(true);

    const swept = await sweptAtStart(join(homePaths(copy).hosts, localHostId));
    expect(swept).toEqual([null]);
    expect(await sweptAtStart(folder)).toEqual([`${home}/local/`]);
    await stopLauncher(room.home, quiet);
    expect(isRunning(id)).toBe(false);
  });
});

/** What a runner host sweeps when it begins; it is stopped before it has found a server. */
async function sweptAtStart(folder: string): Promise<(string | null)[]> {
  const swept: (string | null)[] = [];
  const never = () => Promise.reject(new Error('there is no server'));
  const host = startRunnerHost({
    api: { hello: never, sync: never, claim: never, report: never },
    ...{ hostId: localHostId, bootId: 'b', hostname: 'h', pid: process.pid, slots: () => 1 },
    folder,
    folderMark: folderMark(join(folder, 'home-id')),
    runProgram: never,
    sweep: async (prefix) => void swept.push(prefix),
    killGraceMs: () => 0,
    engine: null,
    log: () => {},
  });
  host.stop();
  await host.ended;
  return swept;
}
