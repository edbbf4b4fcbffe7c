import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Outcome, RunSpec } from '../../contract/run.ts';
import type { ClaimAnswer, ClaimRequest, Report } from '../../contract/store-api.ts';
import { RunTable, type RunTableDeps } from '../../worker/host/run-table.ts';
import { withFolder } from '../support/folder.ts';

const spec = { invocationId: 'sub_1', runNo: 1 } as RunSpec;
const outcome = { kind: 'succeeded', content: 'done' } as Outcome;

interface Room {
  table: RunTable;
  reports: Report[];
  folder: string;
}

async function withTable(
  deps: Partial<RunTableDeps> & { claim?: (request: ClaimRequest) => Promise<ClaimAnswer> },
  use: (room: Room) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const reports: Report[] = [];
    const table = new RunTable({
      api: {
        claim: deps.claim ?? (async () => ({ kind: 'run', run: spec })),
        report: async (request) => {
          reports.push(...request.reports);
          return { held: true, status: 'running' };
        },
      },
      hostId: 'local',
      bootId: 'boot',
      homeId: () => 'home',
      folder,
      runProgram: async () => outcome,
      log: () => {},
      ...deps,
    });
    await use({ table, reports, folder });
  });
}

function begun(run: Awaited<ReturnType<RunTable['hold']>>) {
  if (run === null || run === 'over') throw new Error('nothing was begun');
  return run;
}

test('two leases on one invocation are one run', async () => {
  let started = 0;
  const runProgram = async () => {
    started += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return outcome;
  };
  await withTable({ runProgram }, async ({ table, reports }) => {
    const [one, two] = await Promise.all([table.hold('sub_1'), table.hold('sub_1')]);
    expect(two).toBe(one);
    expect(await table.hold('sub_1')).toBe(one);
    await begun(one).reported;
    expect(started).toBe(1);
    expect(reports).toMatchObject([{ type: 'outcome' }]);
    expect(table.list()).toEqual([]);
  });
});

test('what is over in the store is told apart from what cannot be had now: a lease must not spin on that', async () => {
  const status = 'waiting' as const;
  const claim = async ({ invocationId }: ClaimRequest): Promise<ClaimAnswer> => ({
    ...{ kind: 'nothing', status },
    isHere: invocationId === 'sub_here',
  });
  await withTable({ claim }, async ({ table }) => {
    expect(await table.hold('sub_here')).toBeNull();
    expect(await table.hold('sub_gone')).toBe('over');
  });
});

test('a claim that is answered when the host has been told to end starts nothing, and is given back', async () => {
  let answer: (claim: ClaimAnswer) => void = () => {};
  const claim = () => new Promise<ClaimAnswer>((resolve) => (answer = resolve));
  const runProgram = () => Promise.reject(new Error('must not run'));
  await withTable({ claim, runProgram }, async ({ table, reports }) => {
    const held = table.hold('sub_1');
    table.close();
    const settled = table.settled();
    answer({ kind: 'run', run: spec });
    expect(await held).toBeNull();
    await settled;
    expect(reports).toMatchObject([{ type: 'lost', wasStarted: false }]);
    await expect(table.hold('sub_2')).rejects.toThrow('no more work');
    table.open();
    void table.hold('sub_2');
  });
});

test('a run whose files cannot be made is lost before it was started, and rejects nothing', async () => {
  await withTable({}, async ({ table, reports, folder }) => {
    writeFileSync(join(folder, 'runs'), 'a file where the folder should be');
    await begun(await table.hold('sub_1')).reported;
    expect(reports).toMatchObject([{ type: 'lost', wasStarted: false }]);
  });
});

test('a program that fails in our hands after its start is lost as one that was started', async () => {
  const runProgram: RunTableDeps['runProgram'] = async (_, io) => {
    io.onSpawn();
    throw new Error('ours');
  };
  await withTable({ runProgram }, async ({ table, reports }) => {
    await begun(await table.hold('sub_1')).reported;
    expect(reports).toMatchObject([{ type: 'lost', wasStarted: true }]);
  });
});

test('a program that runs is told from one that has ended and not been heard by the store', async () => {
  let end: () => void = () => {};
  const running = new Promise<void>((resolve) => (end = resolve));
  let isAway = true;
  const api: RunTableDeps['api'] = {
    claim: async () => ({ kind: 'run', run: spec }),
    report: async () => {
      if (isAway) throw new Error('away');
      return { held: true, status: 'running' };
    },
  };
  await withTable({ api, runProgram: () => running.then(() => outcome) }, async ({ table }) => {
    const run = begun(await table.hold('sub_1'));
    expect(table.counts()).toEqual({ running: 1, untold: 0 });
    end();
    await run.safe;
    expect(table.counts()).toEqual({ running: 0, untold: 1 });
    isAway = false;
    await run.reported;
    expect(table.counts()).toEqual({ running: 0, untold: 0 });
  });
});
