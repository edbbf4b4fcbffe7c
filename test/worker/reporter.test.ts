import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AppError, type RequestErrorCode } from '../../contract/errors.ts';
import type { Outcome } from '../../contract/run.ts';
import type { Report, ReportAnswer, ReportRequest } from '../../contract/store-api.ts';
import { Reporter } from '../../worker/host/reporter.ts';
import { leftSpools, openSpool } from '../../worker/host/spool.ts';
import { openDisk, testOnDisks, type SmallDisk } from '../e2e/small-disk.ts';
import { withFolder } from '../support/folder.ts';

const onDisk = testOnDisks('what a host keeps for the store on a disk without room or writes');

const key = { invocationId: 'sub_1', runNo: 1, bootId: 'boot' };
const at = '2026-03-01T12:00:00.000Z';
const line = (text: string) => ({ type: 'event', event: { stream: 'stdout', text, at } }) as const;
const outcome: Outcome = {
  kind: 'succeeded',
  content: 'done',
  tokenUsage: null,
  error: null,
  errorCode: null,
  errorHint: null,
  exitCode: 0,
  signal: null,
};
const ending = { type: 'outcome', outcome } as const;

interface Room {
  reporter: Reporter;
  folder: string;
  taken: Report[];
  lost: () => number;
  spooled: () => Report[];
  lines: string[];
}

/** `answer` is the store: it throws while it is away. */
async function withReporter(
  answer: (request: ReportRequest) => ReportAnswer,
  use: (room: Room) => Promise<void>,
  place?: string,
): Promise<void> {
  await withFolder(async (fresh) => {
    const home = place ?? fresh;
    const folder = join(home, 'spool');
    const taken: Report[] = [];
    const lines: string[] = [];
    let lost = 0;
    const spool = openSpool(folder, key);
    const reporter = new Reporter({
      api: {
        report: async (request) => {
          const given = answer(request);
          taken.push(...request.reports);
          return given;
        },
      },
      host: { hostId: 'local', bootId: 'boot' },
      run: key,
      spool,
      onLost: () => (lost += 1),
      log: (said, { invocation, run } = {}) => lines.push(`${invocation}/${run} ${said}`),
      unheardMs: 300,
    });
    const spooled = () => spool.page(0)?.reports ?? [];
    await use({ reporter, folder, taken, lost: () => lost, spooled, lines });
  });
}

const yes: ReportAnswer = { held: true, status: 'running' };
const away = () => {
  throw new TypeError('fetch failed');
};
const refuse = (code: RequestErrorCode) => () => {
  throw new AppError(code, 'no');
};

test('reports arrive in order and once, whenever they are pushed, and leave nothing on disk', async () => {
  await withReporter(
    () => yes,
    async ({ reporter, folder, taken }) => {
      for (let n = 0; n < 500; n += 1) {
        void reporter.push(line(String(n)));
        // Every kind of moment between two steps of the sender.
        for (let turns = n % 7; turns > 0; turns -= 1) await Promise.resolve();
        if (n % 50 === 0) await new Promise(setImmediate);
      }
      await reporter.push(ending);
      await reporter.drained();
      expect(taken.map(({ n }) => n)).toEqual(Array.from({ length: 501 }, (_, index) => index + 1));
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

test('an ending is on disk before it is sent, so that a host that is killed meanwhile has not lost it', async () => {
  const before: Report[][] = [];
  await withReporter(
    () => yes,
    async ({ reporter, spooled }) => {
      void reporter.push(line('one'));
      void reporter.push(ending);
      before.push(spooled());
      await reporter.drained();
    },
  );
  expect(before[0]!.map(({ type }) => type)).toEqual(['event', 'outcome']);
});

test('while the store is away all is kept on disk, and the host may end; later all of it is sent', async () => {
  let isAway = true;
  await withReporter(
    () => (isAway ? away() : yes),
    async ({ reporter, taken, spooled, folder }) => {
      void reporter.push(line('one'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      void reporter.push(line('two'));
      void reporter.push(ending);
      await reporter.safe();
      expect(spooled().map(({ n }) => n)).toEqual([1, 2, 3]);
      expect(leftSpools(folder)).toEqual([key]);
      isAway = false;
      await reporter.drained();
      expect(taken.map(({ n }) => n)).toEqual([1, 2, 3]);
      expect(existsSync(folder) && readdirSync(folder)).toEqual([]);
    },
  );
});

test('a disk that takes nothing costs no report and fails no run', async () => {
  let isAway = true;
  await withReporter(
    () => (isAway ? away() : yes),
    async ({ reporter, taken, folder }) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, 'a file where the folder was');
      void reporter.push(line('one'));
      await expect(reporter.push(ending)).resolves.toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 300));
      rmSync(folder);
      mkdirSync(folder);
      isAway = false;
      await reporter.drained();
      expect(taken.map(({ n }) => n)).toEqual([1, 2]);
    },
  );
});

onDisk.each<[string, (disk: SmallDisk) => void, (disk: SmallDisk) => void]>([
  ['without room', (disk) => disk.fill(), (disk) => disk.free()],
  ['without writes', (disk) => disk.mount('ro'), (disk) => disk.mount('rw')],
])(
  'on a disk %s all is kept in memory while the store is away, and arrives; with room again it is on disk',
  async (_, harm, mend) => {
    const disk = openDisk(2);
    let isAway = true;
    try {
      await withReporter(
        () => (isAway ? away() : yes),
        async ({ reporter, taken, spooled }) => {
          harm(disk);
          for (let n = 0; n < 20; n += 1) void reporter.push(line(`${n} `.repeat(1000)));
          let isSafe = false;
          const safe = reporter.safe().then(() => (isSafe = true));
          await new Promise((resolve) => setTimeout(resolve, 400));
          const wasSafe = isSafe;
          mend(disk);
          void reporter.push(ending);
          await safe;
          const kept = spooled().map(({ n }) => n);
          isAway = false;
          await reporter.drained();
          const all = Array.from({ length: 21 }, (__, n) => n + 1);
          expect([wasSafe, kept, taken.map(({ n }) => n)]).toEqual([false, all, all]);
        },
        disk.folder,
      );
    } finally {
      disk.remove();
    }
  },
);

test('an outcome that the store refuses is told as lost, so that the run does not stay open', async () => {
  await withReporter(
    ({ reports }) =>
      reports.some(({ type }) => type === 'outcome') ? refuse('body_too_large')() : yes,
    async ({ reporter, taken, lost }) => {
      await reporter.push(line('one'));
      await reporter.drained();
      await reporter.push(ending);
      await reporter.drained();
      expect(taken.map(({ type }) => type)).toEqual(['event', 'lost']);
      expect(lost()).toBe(0);
    },
  );
});

test('a run that the store does not know is given up; a stranger on its port is not believed', async () => {
  await withReporter(refuse('stale_claim'), async ({ reporter, lost }) => {
    await reporter.push(line('one'));
    await reporter.drained();
    expect(lost()).toBe(1);
  });
  let isStranger = true;
  await withReporter(
    () => (isStranger ? refuse('unauthorized')() : yes),
    async ({ reporter, lost, taken }) => {
      void reporter.push(ending);
      await new Promise((resolve) => setTimeout(resolve, 50));
      isStranger = false;
      await reporter.drained();
      expect([lost(), taken.length]).toEqual([0, 1]);
    },
  );
});

test('the last words of a program and its ending are one report', async () => {
  const sent: number[] = [];
  await withReporter(
    ({ reports }) => {
      sent.push(reports.length);
      return yes;
    },
    async ({ reporter }) => {
      void reporter.push(line('last words'));
      // Later, and yet before any timer, however busy the machine is.
      for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
      void reporter.push(ending);
      await reporter.drained();
      expect(sent).toEqual([2]);
    },
  );
});

test('words without an ending go soon, by themselves', async () => {
  await withReporter(
    () => yes,
    async ({ reporter, taken }) => {
      void reporter.push(line('still at work'));
      await reporter.drained();
      expect(taken).toHaveLength(1);
    },
  );
});

test('what takes none of its reports for long is told once, with the run, and so is that it does', async () => {
  let isLarge = true;
  await withReporter(
    () => {
      if (isLarge) throw new Error('/store/reports answered 413');
      return yes;
    },
    async ({ reporter, lines }) => {
      void reporter.push(ending);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      isLarge = false;
      await reporter.drained();
      expect(lines).toEqual([
        'sub_1/1 reports of sub_1/1: Error: /store/reports answered 413',
        'sub_1/1 reports of sub_1/1: over, the server answers',
      ]);
    },
  );
});
