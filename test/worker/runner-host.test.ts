/** What a runner host says in its log while the server is not there, and what it needs of its disk. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { RunSpec } from '../../contract/run.ts';
import { startRunnerHost } from '../../worker/host/runner-host.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { until } from '../e2e/stack.ts';
import { succeeded } from '../operations/test-host.ts';
import { withFolder } from '../support/folder.ts';

const onDisk = testOnDisks('a runner host on a disk without writes');

/** The log of a host whose server stays away for a second. */
async function logWithoutServer(more: { unheardMs?: number }): Promise<string[]> {
  const lines: string[] = [];
  await withFolder(async (folder) => {
    const away = () => Promise.reject(new Error('no server.json'));
    const host = startRunnerHost({
      ...{ api: { hello: away, sync: away, claim: away, report: away }, hostId: 'local' },
      ...{
        bootId: 'b',
        hostname: 'here',
        pid: 1,
        slots: () => 1,
        folder,
        folderMark: 'here',
        engine: null,
      },
      runProgram: () => Promise.reject(new Error('nothing is run here')),
      sweep: async () => {},
      killGraceMs: () => 0,
      log: (line) => lines.push(line),
      ...more,
    });
    await sleep(1_000);
    host.stop();
    await host.ended;
  });
  return lines;
}

test('a start that waits for its server a moment says nothing of it', async () => {
  expect(await logWithoutServer({})).toEqual([]);
});

test('a server that stays away is told once, with the reason', async () => {
  expect(await logWithoutServer({ unheardMs: 300 })).toEqual(['hello: Error: no server.json']);
});

test('a host that loses its server tells why, that its lease has ended its agents, and that the server is back', async () => {
  await withFolder(async (folder) => {
    const lines: string[] = [];
    // What it cannot report is a line of its own for each run.
    const ofServer = () => lines.filter((line) => !line.startsWith('reports of'));
    let isAway = false;
    let ended = 0;
    const answered = <T>(answer: T): Promise<T> =>
      isAway ? Promise.reject(new Error('refused')) : Promise.resolve(answer);
    const key = { invocationId: 'sub_1', runNo: 1 };
    const spec = { ...key, url: 'http://here' } as RunSpec;
    const host = startRunnerHost({
      api: {
        hello: () =>
          answered({
            ...{ homeId: 'home', queue: null, ceiling: 2, leaseMinutes: 1 / 60 },
            ...{ killGraceSeconds: 0, workFolder: '', temporal: null },
          }),
        async sync({ runs }) {
          await sleep(20);
          return answered({
            start: runs.length + ended > 0 ? [] : [key],
            stop: [],
            temporal: null,
          });
        },
        claim: () => answered({ kind: 'run', run: spec }),
        report: () => answered({ held: true, status: 'running' }),
      },
      ...{ hostId: 'far', bootId: 'b', hostname: 'here', pid: 1, slots: () => 1 },
      ...{ folder, folderMark: 'here', engine: null, killGraceMs: () => 0, sweep: async () => {} },
      async runProgram(_, { signal, onSpawn }) {
        onSpawn();
        isAway = true;
        await once(signal, 'abort');
        ended += 1;
        return { ...succeeded(''), kind: 'cancelled' };
      },
      log: (line) => lines.push(line),
      unheardMs: 300,
    });
    try {
      await until(
        async () => ended,
        (n) => n > 0,
      );
      // It is said again and again that the lease is over, and stays so for a while.
      await sleep(600);
      isAway = false;
      await until(
        async () => ofServer(),
        (said) => said.some((line) => line.includes('over,')),
      );
    } finally {
      host.stop();
      await host.ended;
    }
    expect(ofServer()).toEqual([
      'the server is not heard: Error: refused',
      expect.stringMatching(/longer than the lease .* min\): what runs here is ended \(1\)$/),
      'the server is not heard: over, the server answers',
    ]);
  });
});

onDisk(
  'a host whose disk takes no writes says hello once all the same, and leaves the note for its successor as it is',
  async () => {
    const disk = openDisk(1);
    const note = () => readFileSync(join(disk.folder, 'home-id'), 'utf8');
    const live = async () => {
      const heard: string[] = [];
      const told = { start: [], stop: [], temporal: null };
      const host = startRunnerHost({
        api: {
          async hello() {
            heard.push('hello');
            return {
              ...{ homeId: 'home', queue: null, ceiling: 2, leaseMinutes: 1 },
              ...{ killGraceSeconds: 0, workFolder: '', temporal: null },
            };
          },
          sync: async () =>
            sleep(20)
              .then(() => void heard.push('sync'))
              .then(() => told),
          claim: () => Promise.reject(new Error('nothing is claimed here')),
          report: () => Promise.reject(new Error('nothing is reported here')),
        },
        ...{ hostId: 'local', bootId: 'b', hostname: 'here', pid: 1, slots: () => 1 },
        ...{ folder: disk.folder, folderMark: 'here', engine: null, killGraceMs: () => 0 },
        ...{ sweep: async () => {}, runProgram: () => Promise.reject(new Error('none')) },
        log: () => {},
      });
      try {
        await until(
          async () => heard,
          (said) => said.includes('sync'),
        );
      } finally {
        host.stop();
        await host.ended;
      }
      return heard.filter((word) => word === 'hello').length;
    };
    try {
      expect(await live()).toBe(1);
      const before = note();
      disk.mount('ro');
      expect(await live()).toBe(1);
      expect(note()).toBe(before);
    } finally {
      disk.remove();
    }
  },
);
