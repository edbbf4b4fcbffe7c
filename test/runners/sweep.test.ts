/** What is swept, and, as important, what is not. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { identifyProcess } from '../../engine/process-identity.ts';
import { Kin } from '../../runners/kin.ts';
import { listByPs, listProcesses, startTick } from '../../runners/processes.ts';
import { sweep } from '../../runners/sweep.ts';
import { isAlive } from './run-fixture.ts';

const home = `home${process.pid}`;
const marked = (marker: string) => new Kin({ markers: [marker] });
const deaf = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
const willing = "console.log('up'); setInterval(() => {}, 1000)";

const seenByPs = async (pid: number) => (await listByPs()).find((entry) => entry.pid === pid);

async function withMarked(
  markers: Record<string, string>,
  use: (started: Record<string, ChildProcess>) => Promise<void>,
): Promise<void> {
  const started: Record<string, ChildProcess> = {};
  try {
    for (const [marker, script] of Object.entries(markers)) {
      const child = spawn(process.execPath, ['-e', script], {
        env: { PATH: process.env['PATH'], OFFSHOOT_RUN: marker },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      started[marker] = child;
      await once(child.stdout!, 'data');
    }
    await use(started);
  } finally {
    for (const child of Object.values(started)) child.kill('SIGKILL');
  }
}

test('a whole marker ends that run, not the one whose number begins alike', async () => {
  await withMarked(
    { [`${home}/h/sub_1/1`]: willing, [`${home}/h/sub_1/10`]: willing },
    async (of) => {
      const one = of[`${home}/h/sub_1/1`]!;
      expect(await sweep(marked(`${home}/h/sub_1/1`), { graceMs: 1000 })).toEqual({
        killed: [one.pid],
        left: [],
      });
      expect(isAlive(one.pid!)).toBe(false);
      expect(isAlive(of[`${home}/h/sub_1/10`]!.pid!)).toBe(true);
    },
  );
});

test("a host's prefix ends all its runs, willing or not, and no other host's", async () => {
  const markers = {
    [`${home}/h/sub_1/1`]: deaf,
    [`${home}/h/sub_2/1`]: willing,
    [`${home}/h2/sub_3/1`]: willing,
  };
  await withMarked(markers, async (of) => {
    const swept = await sweep(marked(`${home}/h/`), { graceMs: 300 });
    expect(swept.killed.sort()).toEqual(
      [of[`${home}/h/sub_1/1`]!.pid!, of[`${home}/h/sub_2/1`]!.pid!].sort(),
    );
    expect(swept.left).toEqual([]);
    expect(of[`${home}/h/sub_1/1`]!.signalCode ?? 'SIGKILL').toBe('SIGKILL');
    expect(isAlive(of[`${home}/h2/sub_3/1`]!.pid!)).toBe(true);
  });
});

test('nothing to sweep is over at once', async () => {
  // The grace is far longer than this test may last.
  expect(await sweep(marked(`${home}/nobody/`), { graceMs: 600_000 })).toEqual({
    killed: [],
    left: [],
  });
});

test('it never ends itself', async () => {
  const own = { pid: process.pid, start: 's', parentPid: 1, group: 1, marker: `${home}/h/sub_1/1` };
  const list = () => Promise.resolve([own]);
  const swept = await sweep(marked(`${home}/h/`), { graceMs: 50, list });
  expect(swept).toEqual({ killed: [], left: [] });
});

test('without /proc, the known processes and their group are ended', async () => {
  await withMarked({ [`${home}/h/sub_1/1`]: willing }, async (of) => {
    const pid = of[`${home}/h/sub_1/1`]!.pid!;
    const kin = new Kin({ markers: [`${home}/h/`], known: [(await seenByPs(pid))!] });
    const swept = await sweep(kin, { graceMs: 500, list: listByPs });
    expect(swept).toEqual({ killed: [pid], left: [] });
  });
});

test('ps and /proc tell of the same processes', async () => {
  await withMarked({ [`${home}/h/sub_1/1`]: willing }, async (of) => {
    const { pid } = of[`${home}/h/sub_1/1`]!;
    const [byPs, byProc] = await Promise.all([listByPs(), listProcesses()]);
    const find = (entries: typeof byPs) => entries.find((entry) => entry.pid === pid);
    // How they tell a start differs, and only one of them is used on a machine.
    expect(find(byPs)).toEqual({ ...find(byProc), start: expect.any(String), marker: null });
    expect(find(byProc)!.start).toBe(identifyProcess(pid!)!.start);
    expect(find(byProc)).toMatchObject({ parentPid: process.pid, marker: `${home}/h/sub_1/1` });
  });
});

test('of processes that are older than the run the marker is not read, of all others it is', async () => {
  const [older, younger] = [`${home}/h/sub_1/1`, `${home}/h/sub_2/1`];
  await withMarked({ [older]: willing }, async (before) => {
    // Starts are told in hundredths of a second.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await withMarked({ [younger]: willing }, async (after) => {
      const since = startTick(after[younger]!.pid!);
      expect(since).toBeGreaterThan(startTick(before[older]!.pid!)!);
      const read = (await listProcesses(since)).filter(({ marker }) => marker?.startsWith(home));
      expect(read.map(({ pid }) => pid)).toEqual([after[younger]!.pid]);
      const swept = await sweep(marked(younger), { graceMs: 1000, since });
      expect(swept).toEqual({ killed: [after[younger]!.pid], left: [] });
    });
  });
});
