/** What a runner host does with the orders of its long poll, on the real store, without any engine. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RunSpec } from '../../contract/run.ts';
import type { SyncRequest } from '../../contract/store-api.ts';
import { hostHandlers } from '../../operations/index.ts';
import { startRunnerHost, type RunnerHost } from '../../worker/host/runner-host.ts';
import { until } from '../e2e/stack.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';
import { succeeded } from '../operations/test-host.ts';

const clock = { now: () => new Date(), advance: () => {} };

interface Hosted extends Room {
  launched: string[];
  polls: SyncRequest[];
  itself: RunnerHost;
  untilEnded(ids: string[]): Promise<void>;
}

async function withHost(
  play: (room: Room, spec: RunSpec) => Promise<string>,
  use: (room: Hosted) => Promise<void>,
  options: { slots?: number; leaseMinutes?: number; deafPolls?: number } = {},
): Promise<void> {
  await withOperations(
    async (room) => {
      const launched: string[] = [];
      const polls: SyncRequest[] = [];
      const host = startRunnerHost({
        api: {
          hello: (request) => hostHandlers.hello(room.deps, request),
          sync: (request, signal) => {
            polls.push(request);
            if (polls.length <= (options.deafPolls ?? 0)) return unanswered(signal);
            return hostHandlers.sync(room.deps, signal, request);
          },
          claim: (request) => hostHandlers.claim(room.deps, request),
          // Its answer takes a moment: what the report has set off may be ordered before it is here.
          report: async (request) => {
            const answer = await hostHandlers.report(room.deps, request);
            await new Promise((resolve) => setTimeout(resolve, 30));
            return answer;
          },
        },
        ...{ hostId: 'local', bootId: randomUUID(), hostname: 'here', pid: process.pid },
        ...{ slots: () => options.slots ?? 4, folder: join(room.home, 'host'), folderMark: 'here' },
        runProgram: async (spec, { onSpawn }) => {
          onSpawn();
          launched.push(`${spec.invocationId}/${spec.runNo}`);
          return succeeded(await play(room, spec));
        },
        ...{ killGraceMs: () => 0, sweep: async () => {}, engine: null, log: () => {} },
      });
      const isOver = (id: string) => room.row(id).completed_at !== null;
      try {
        await use({
          ...{ ...room, launched, polls, itself: host },
          untilEnded: async (ids) =>
            void (await until(
              async () => ids.every(isOver),
              (all) => all,
            )),
        });
      } finally {
        host.stop();
        await host.ended;
      }
    },
    { clock, isHostUp: false, limits: { leaseMinutes: options.leaseMinutes ?? 10 } },
  );
}

/** As a network is that swallows all: it says nothing, until the asker has enough. */
const unanswered = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('a poll that is not answered is given up within half of the lease: answered later still, it would bring work that the lease ends at once', async () => {
  await withHost(
    async () => 'done',
    async (room) => {
      const from = performance.now();
      await until(
        async () => room.polls.length,
        (n) => n > 1,
      );
      // Half of six seconds, and a pause.
      expect(performance.now() - from).toBeLessThan(6000);
      expect(room.polls[0]!.waitSeconds).toBeLessThan(2);
      const { id } = await room.start();
      await room.untilEnded([id]);
      expect((await room.get(id)).status).toBe('completed');
    },
    { leaseMinutes: 0.1, deafPolls: 1 },
  );
});

test('what is accepted runs at once, each once, over as many slots as there are, without an engine', async () => {
  let working = 0;
  let peak = 0;
  const play = async () => {
    peak = Math.max(peak, (working += 1));
    await new Promise((resolve) => setTimeout(resolve, 40));
    working -= 1;
    return 'done';
  };
  await withHost(
    play,
    async (room) => {
      const from = performance.now();
      const ids: string[] = [];
      for (let n = 0; n < 60; n += 1) ids.push((await room.start()).id);
      await room.untilEnded(ids);
      expect(room.launched.toSorted()).toEqual(ids.map((id) => `${id}/1`).toSorted());
      expect(peak).toBe(3);
      // Nothing of it waited for a poll to end by itself, after five seconds, and no poll was answered for nothing.
      expect(performance.now() - from).toBeLessThan(20_000);
      expect(room.polls.length).toBeLessThan(4 * ids.length);
    },
    { slots: 3 },
  );
});

test('a parent goes on as soon as its child has ended, also from within the same report', async () => {
  const play = async (room: Room, { invocationId, runNo, prompt }: RunSpec) => {
    if (prompt !== 'ask' || runNo > 5) return 'done';
    const ask = { prompt: 'answer', executionMode: 'ASYNC_CALLBACK' } as const;
    const child = await room.start(ask, room.child(invocationId));
    // Half of them end before their parent does, half after it.
    if (runNo % 2 === 0) {
      await until(
        () => room.get(child.id),
        ({ status }) => status === 'completed',
      );
    }
    return 'asked';
  };
  await withHost(play, async (room) => {
    const from = performance.now();
    const { id } = await room.start({ prompt: 'ask' });
    await until(
      async () => room.launched.filter((run) => run.startsWith(`${id}/`)).length,
      (n) => n >= 2,
    );
    await room.untilEnded([id]);
    const turns = room.launched.filter((run) => run.startsWith(`${id}/`));
    expect(turns).toEqual(turns.map((_, n) => `${id}/${n + 1}`));
    // With five seconds for each of them it would be more.
    expect(performance.now() - from).toBeLessThan(5000 * turns.length);
  });
});

test('an idle host asks no more often than its poll lasts, also while a run is being stopped', async () => {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const play = async () => {
    // It ignores that it is to end.
    await ended;
    return 'done';
  };
  await withHost(play, async (room) => {
    const { id } = await room.start();
    await until(
      async () => room.launched.length,
      (n) => n === 1,
    );
    const from = performance.now();
    await room.ask('cancelSubagent', { id });
    await until(
      async () => room.polls.at(-1)!,
      ({ runs, heard }) => runs.length + heard.length === 2,
    );
    // It began in the middle of a poll, which would have lasted five seconds.
    expect(performance.now() - from).toBeLessThan(4000);
    const before = room.polls.length;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(room.polls.length).toBe(before);
    end();
    await room.untilEnded([id]);
    expect((await room.get(id)).status).toBe('cancelled');
  });
});

const untilHeard = (room: Hosted) =>
  until(
    async () => room.polls.length,
    (n) => n > 0,
  );

test.each(['stop', 'drain'] as const)(
  'a host that ends in order (%s) says so, and is given nothing more',
  async (how) => {
    await withHost(
      async () => 'done',
      async (room) => {
        await untilHeard(room);
        room.itself[how]();
        await room.itself.ended;
        const { id } = await room.start();
        expect((await room.get(id)).pendingReason).toBe('every runner host is about to end');
      },
    );
  },
);

test('while it ends what it runs, what it was given goes back at once; it is not had to work again by a signal', async () => {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const play = () => ended.then(() => 'done');
  await withHost(play, async (room) => {
    const { id } = await room.start();
    await until(
      async () => room.launched.length,
      (n) => n === 1,
    );
    room.itself.stop();
    room.itself.resume();
    const next = await room.start();
    await until(
      async () => room.row(next.id).host_id,
      (hostId) => hostId === null,
    );
    end();
    await room.itself.ended;
    expect(room.launched).toEqual([`${id}/1`]);
    expect(room.row(next.id).host_id).toBeNull();
  });
});

test('a server that does not answer holds up the end for a second, and not for its long poll', async () => {
  await withHost(
    async () => 'done',
    async (room) => {
      await untilHeard(room);
      const from = performance.now();
      room.itself.stop();
      await room.itself.ended;
      // This poll has no end of its own.
      expect(performance.now() - from).toBeLessThan(20_000);
    },
    { deafPolls: 99 },
  );
});
