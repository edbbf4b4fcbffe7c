/** A workflow that was poked too often goes on as a new one, and nobody can tell but by its history. */
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import type { InvocationStep } from '../../contract/steps.ts';
import { eventually, withWorker, type Bench } from './with-worker.ts';

/** More than one execution takes, and far fewer than the engine refuses. */
const MANY = 2050;
const AT_ONCE = 100;

const wait: InvocationStep = { step: 'wait', details: 'waiting', children: [] };
const run = (queue: string): InvocationStep => ({
  ...wait,
  ...{ step: 'run', queue, summary: 'demo: a task' },
});
const done = (status: 'completed' | 'cancelled'): InvocationStep => ({
  ...{ step: 'done', attributes: {}, children: [] },
  ending: { status, error: null, errorCode: null, answer: '42' },
});

/** Without a run id: what is asked of it goes to whichever execution is the last one. */
const handleOf = ({ client, own }: Bench) => client.workflow.getHandle(`subagent/long-${own}`);

/** Begun, and poked more often than one execution takes. */
async function startPoked(bench: Bench): Promise<void> {
  const { client, queue, own } = bench;
  await client.workflow.start('subAgent', {
    args: [{ invocationId: `long-${own}` }],
    workflowId: `subagent/long-${own}`,
    taskQueue: queue,
  });
  const handle = handleOf(bench);
  for (let sent = 0; sent < MANY; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => handle.signal('poke')));
  }
}

const runIdOf = async (handle: WorkflowHandle) => (await handle.describe()).runId;
const eventsOf = async (handle: WorkflowHandle) => (await handle.fetchHistory()).events ?? [];

async function untilAnother(handle: WorkflowHandle, before: string): Promise<void> {
  // Thousands of pokes, on a machine that does other things as well.
  await eventually(async () => expect(await runIdOf(handle)).not.toBe(before), 60_000);
}

test('more pokes than one execution takes: it goes on with its id alone, its child and its callbacks', async () => {
  let step: 'wait' | 'run' | 'done' = 'wait';
  let asked = 0;
  let runs = 0;
  let bench: Bench;
  let before = '';
  const prepare = async (given: Bench) => {
    bench = given;
    await startPoked(given);
    before = await runIdOf(handleOf(given));
  };
  const child = (own: string) => ({
    ...{ invocationId: `kid-${own}`, workflowId: `subagent/kid-${own}`, spawnNo: 0 },
    acceptedAt: '2026-03-01T12:00:00.000Z',
    ...{ summary: 'a child', details: '', memo: {}, attributes: {} },
  });
  await withWorker(
    {
      takeNextStep: async (id) => {
        if (id !== `long-${bench.own}`) return wait;
        asked += 1;
        if (step === 'done') return done('completed');
        // Named again and again, as by a store that has not heard yet that it has begun.
        return { ...(step === 'run' ? run(bench.queue) : wait), children: [child(bench.own)] };
      },
      runAgent: async () => {
        runs += 1;
        step = 'wait';
      },
    },
    async (given) => {
      const handle = handleOf(given);
      const kid = given.client.workflow.getHandle(`subagent/kid-${given.own}`);
      await eventually(() => kid.describe());
      const kidBefore = await runIdOf(kid);
      await untilAnother(handle, before);

      const [begun] = await eventsOf(handle);
      const started = begun!.workflowExecutionStartedEventAttributes!;
      expect(started.continuedExecutionRunId).toBe(before);
      const input = started.input!.payloads!.map(({ data }) => Buffer.from(data!).toString());
      expect(input).toEqual([JSON.stringify({ invocationId: `long-${given.own}` })]);
      // The child is neither ended nor started anew.
      expect((await kid.describe()).status.name).toBe('RUNNING');
      expect(await runIdOf(kid)).toBe(kidBefore);

      // A callback has come: the same poke as before makes it run again, and then it is done.
      step = 'run';
      await handle.signal('poke');
      await eventually(async () => expect(runs).toBe(1));
      const askedBefore = asked;
      step = 'done';
      await handle.signal('poke');
      expect(await handle.result()).toEqual({ status: 'completed', answer: '42' });
      expect(asked).toBeGreaterThan(askedBefore);
      await kid.terminate();
    },
    prepare,
  );
}, 180_000);

test('with a run in hand it does not roll over; after that it does, and can still be cancelled', async () => {
  let isOver = false;
  let isCancelled = false;
  let leases = 0;
  let bench: Bench;
  const prepare = async (given: Bench) => {
    bench = given;
    await startPoked(given);
  };
  await withWorker(
    {
      takeNextStep: async () => {
        if (isCancelled) return done('cancelled');
        return isOver ? wait : run(bench.queue);
      },
      cancelByHand: async () => void (isCancelled = true),
      runAgent: async () => {
        leases += 1;
        const beat = setInterval(() => Context.current().heartbeat(), 200);
        while (!isOver) await new Promise((resolve) => setTimeout(resolve, 20));
        clearInterval(beat);
      },
    },
    async (given) => {
      const handle = handleOf(given);
      const before = await runIdOf(handle);
      await eventually(async () => expect(leases).toBe(1));
      await handle.signal('poke');
      expect(await runIdOf(handle)).toBe(before);
      isOver = true;
      await untilAnother(handle, before);
      expect(leases).toBe(1);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      expect((await handle.describe()).status.name).toBe('CANCELLED');
    },
    prepare,
  );
}, 180_000);
