/** What waits for the store while it is away costs disk, and not memory. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Report } from '../../contract/store-api.ts';
import { Backlog } from '../../worker/host/backlog.ts';
import { openSpool } from '../../worker/host/spool.ts';
import { withFolder } from '../support/folder.ts';

const key = { invocationId: 'sub_1', runNo: 1, bootId: 'boot' };
const at = '2026-03-01T12:00:00.000Z';
const report = (n: number, text = `line ${n}`): Report => ({
  type: 'event',
  n,
  event: { stream: 'stdout', text, at },
});
const MiB = 1024 * 1024;
const soft = { durable: false };

async function withBacklog(use: (backlog: Backlog, folder: string) => Promise<void> | void) {
  await withFolder(async (home) => {
    const folder = join(home, 'spool');
    await use(new Backlog(openSpool(folder, key)), folder);
  });
}

/** The numbers of all that is still there, taken in batches as the store would. */
function takeAll(backlog: Backlog): number[] {
  const taken: number[] = [];
  for (let batch = backlog.next(); batch.length > 0; batch = backlog.next()) {
    taken.push(...batch.map(({ n }) => n));
    backlog.drop(batch.length);
  }
  return taken;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('an outage of 40 MB of output takes little memory, and all of it is told in order', async () => {
  await withBacklog((backlog) => {
    const text = 'x'.repeat(64_000);
    let most = 0;
    for (let n = 1; n <= 650; n += 1) {
      backlog.push(report(n, text));
      if (n === 3) backlog.next();
      backlog.keep(soft);
      most = Math.max(most, backlog.memoryBytes());
    }
    expect(most).toBeLessThan(2 * MiB);
    const taken: number[] = [];
    for (let batch = backlog.next(); batch.length > 0; batch = backlog.next()) {
      most = Math.max(most, backlog.memoryBytes());
      taken.push(...batch.map(({ n }) => n));
      backlog.drop(batch.length);
    }
    expect(taken).toEqual(numbers(650));
    expect(most).toBeLessThan(3 * MiB);
    expect(backlog.memoryBytes()).toBe(0);
  });
});

test('a report that is larger than a page is read back whole', async () => {
  await withBacklog((backlog) => {
    for (const n of [1, 2, 3, 4]) {
      backlog.push(report(n, `${n}`.repeat(3 * MiB)));
      backlog.keep(soft);
    }
    expect(backlog.memoryBytes()).toBeLessThan(4 * MiB);
    expect(takeAll(backlog)).toEqual([1, 2, 3, 4]);
  });
});

test('whatever is pushed, kept and taken in whatever order comes out once and in order', async () => {
  await withBacklog((backlog) => {
    const taken: number[] = [];
    let pushed = 0;
    // A fixed sequence that looks like chance: pushes, disk and takings meet in every way.
    let seed = 1;
    const chance = (below: number) => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed % below;
    };
    for (let step = 0; step < 3000; step += 1) {
      const what = chance(4);
      if (what <= 1) backlog.push(report((pushed += 1), 'y'.repeat(chance(20_000))));
      else if (what === 2) backlog.keep(soft);
      else {
        const batch = backlog.next().slice(0, 1 + chance(5));
        taken.push(...batch.map(({ n }) => n));
        backlog.drop(batch.length);
      }
    }
    taken.push(...takeAll(backlog));
    expect(taken).toEqual(numbers(pushed));
    expect(backlog.memoryBytes()).toBe(0);
  });
});

test('what a full disk took of an append that failed stands neither before nor behind what comes later', async () => {
  await withBacklog((backlog, folder) => {
    backlog.push(report(1));
    backlog.keep(soft);
    const leftover = `${'z'.repeat(500)}\n${JSON.stringify(report(9))}\n{"type":"ev`;
    appendFileSync(join(folder, readdirSync(folder)[0]!), leftover);
    backlog.push(report(2));
    backlog.keep(soft);
    const found = openSpool(folder, key).page(0);
    expect(found?.reports.map(({ n }) => n)).toEqual([1, 2]);
  });
});

test('what the disk does not take stays in memory, in its place', async () => {
  await withBacklog((backlog, folder) => {
    backlog.push(report(1));
    expect(backlog.next()).toHaveLength(1);
    backlog.keep(soft);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file where the folder was');
    backlog.push(report(2));
    expect(() => backlog.keep(soft)).toThrow();
    expect(backlog.isOnDisk()).toBe(false);
    rmSync(folder);
    mkdirSync(folder);
    expect(takeAll(backlog)).toEqual([1, 2]);
  });
});
