/** What is swept, and, as important, what is not. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { listByPs, listProcesses, startTick, withDescendants } from '../../runners/processes.ts';
import { sweep } from '../../runners/sweep.ts';
import { isAlive } from './run-fixture.ts';

const home = `home${process.pid}`;
const deaf = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
const willing = "console.log('up'); setInterval(() => {}, 1000)";

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
      expect(await sweep(`${home}/h/sub_1/1`, { graceMs: 1000 })).toEqual({
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
    const swept = await sweep(`${home}/h/`, { graceMs: 300 });
    expect(swept.killed.sort()).toEqual(
      [of[`${home}/h/sub_1/1`]!.pid!, of[`${home}/h/sub_2/1`]!.pid!].sort(),
    );
    expect(swept.left).toEqual([]);
    expect(of[`${home}/h/sub_1/1`]!.signalCode ?? 'SIGKILL').toBe('SIGKILL');
    expect(isAlive(of[`${home}/h2/sub_3/1`]!.pid!)).toBe(true);
  });
});

test('nothing to sweep is over at once', async () => {
  const startedAt = Date.now();
  expect(await sweep(`${home}/nobody/`, { graceMs: 5000 })).toEqual({ killed: [], left: [] });
  expect(Date.now() - startedAt).toBeLessThan(1000);
});

test('it never ends itself', async () => {
  const own = { pid: process.pid, parentPid: 1, group: 1, marker: `${home}/h/sub_1/1` };
  const swept = await sweep(`${home}/h/`, { graceMs: 50, list: () => Promise.resolve([own]) });
  expect(swept).toEqual({ killed: [], left: [] });
});

test('without /proc, the known processes and their group are ended', async () => {
  await withMarked({ [`${home}/h/sub_1/1`]: willing }, async (of) => {
    const pid = of[`${home}/h/sub_1/1`]!.pid!;
    const swept = await sweep(`${home}/h/`, { graceMs: 500, pids: [pid], list: listByPs });
    expect(swept).toEqual({ killed: [pid], left: [] });
  });
});

test('ps and /proc tell of the same processes', async () => {
  await withMarked({ [`${home}/h/sub_1/1`]: willing }, async (of) => {
    const { pid } = of[`${home}/h/sub_1/1`]!;
    const [byPs, byProc] = await Promise.all([listByPs(), listProcesses()]);
    const find = (entries: typeof byPs) => entries.find((entry) => entry.pid === pid);
    expect(find(byPs)).toEqual({ ...find(byProc), marker: null });
    expect(find(byProc)).toMatchObject({ parentPid: process.pid, marker: `${home}/h/sub_1/1` });
  });
});

test('descendants are found at any depth, in any order', () => {
  const entry = (pid: number, parentPid: number) => ({ pid, parentPid, group: pid, marker: null });
  const entries = [entry(4, 3), entry(3, 2), entry(2, 1), entry(9, 8)];
  expect([...withDescendants(entries, [2])].sort()).toEqual([2, 3, 4]);
});

test('of processes that are older than the run the marker is not read, of all others it is', async () => {
  const [older, younger] = [`${home}/h/sub_1/1`, `${home}/h/sub_2/1`];
  await withMarked({ [older]: willing }, async (before) => {
    // Starts are told in hundredths of a second.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await withMarked({ [younger]: willing }, async (after) => {
      const since = startTick(after[younger]!.pid!);
      expect(since).toBeGreaterThan(startTick(before[older]!.pid!)!);
      const marked = (await listProcesses(since)).filter(({ marker }) => marker?.startsWith(home));
      expect(marked.map(({ pid }) => pid)).toEqual([after[younger]!.pid]);
      const swept = await sweep(younger, { graceMs: 1000, since });
      expect(swept).toEqual({ killed: [after[younger]!.pid], left: [] });
    });
  });
});
