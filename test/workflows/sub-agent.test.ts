import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowIdReusePolicy } from '@temporalio/client';
import { Context } from '@temporalio/activity';
import type { ChildStart, Ending, InvocationStep } from '../../contract/steps.ts';
import { eventually, withWorker, type Bench } from './with-worker.ts';

const completed: Ending = { status: 'completed', error: null, errorCode: null, answer: '42' };
const cancelled: Ending = {
  status: 'cancelled',
  error: 'cancelled',
  errorCode: 'cancelled',
  answer: null,
};
const wait: InvocationStep = { step: 'wait', details: 'waiting', children: [] };

const done = (ending: Ending = completed): InvocationStep => ({
  step: 'done',
  ending,
  attributes: {},
  children: [],
});
const runOn = (queue: string): InvocationStep => ({
  step: 'run',
  queue,
  summary: 'demo: a task',
  details: 'running',
  children: [],
});
const childOf = (id: string, spawnNo = 0): ChildStart => ({
  invocationId: id,
  workflowId: `subagent/${id}`,
  spawnNo,
  acceptedAt: '2026-03-01T12:00:00.000Z',
  summary: `demo · ASYNC_POLL · ${id}`,
  details: '',
  memo: { depth: 1 },
  attributes: {},
});

function start({ client, queue, own }: Bench, name: string) {
  const id = `${name}-${own}`;
  return client.workflow.start('subAgent', {
    args: [{ invocationId: id }],
    workflowId: `subagent/${id}`,
    taskQueue: queue,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowTaskTimeout: '2s',
  });
}

test('an invocation runs, asks what is next, and ends with the first words of its answer', async () => {
  const asked: string[] = [];
  let bench: Bench;
  await withWorker(
    {
      takeNextStep: async () => (asked.push('next') === 1 ? runOn(bench.queue) : done()),
      runAgent: async () => void asked.push('run'),
    },
    async (given) => {
      bench = given;
      const handle = await start(given, 'plain');
      expect(await handle.result()).toEqual({ status: 'completed', answer: '42' });
      expect(asked).toEqual(['next', 'run', 'next']);
    },
  );
});

test('a lease that nobody takes is given up when the store has chosen another host', async () => {
  const asked: string[] = [];
  let bench: Bench;
  let isOver = false;
  await withWorker(
    {
      takeNextStep: async () => {
        asked.push('next');
        if (isOver) return done();
        return runOn(asked.length === 1 ? `nobody-${bench.own}` : bench.queue);
      },
      runAgent: async () => {
        asked.push('run');
        isOver = true;
      },
    },
    async (given) => {
      bench = given;
      const handle = await start(given, 'moved');
      await eventually(async () => expect(asked).toEqual(['next']));
      await handle.signal('poke');
      expect(await handle.result()).toEqual({ status: 'completed', answer: '42' });
      expect(asked.filter((one) => one === 'run')).toEqual(['run']);
    },
  );
});

test('a poke that comes twice starts a child once; an owner that rolls on keeps its children', async () => {
  let owner = '';
  let bench: Bench;
  let isOver = false;
  let asked = 0;
  await withWorker(
    {
      takeNextStep: async (id) => {
        if (id !== owner) return wait;
        asked += 1;
        const children = [childOf(`kid-${bench.own}`)];
        return isOver ? done() : { ...wait, children };
      },
    },
    async (given) => {
      bench = given;
      owner = `parent-${given.own}`;
      const handle = await start(given, 'parent');
      // A poke before the first question would be answered by it.
      for (const times of [1, 2, 3]) {
        await eventually(async () => expect(asked).toBeGreaterThanOrEqual(times));
        await handle.signal('poke');
      }
      await eventually(async () => expect(asked).toBeGreaterThanOrEqual(4));
      isOver = true;
      await handle.signal('poke');
      await handle.result();
      const events = (await handle.fetchHistory()).events ?? [];
      const started = events.filter(
        (event) => event.startChildWorkflowExecutionInitiatedEventAttributes,
      );
      expect(started).toHaveLength(1);
      const child = await given.client.workflow.getHandle(`subagent/kid-${given.own}`).describe();
      expect(child.status.name).toBe('RUNNING');
      expect(child.parentExecution?.workflowId).toBe(handle.workflowId);
      await given.client.workflow.getHandle(child.workflowId).terminate();
    },
  );
});

test('a child whose workflow the engine has lost is started again under its new number', async () => {
  let owner = '';
  let bench: Bench;
  let spawnNo = 0;
  await withWorker(
    {
      takeNextStep: async (id) =>
        id === owner ? { ...wait, children: [childOf(`lost-${bench.own}`, spawnNo)] } : wait,
    },
    async (given) => {
      bench = given;
      owner = `again-${given.own}`;
      const handle = await start(given, 'again');
      const child = given.client.workflow.getHandle(`subagent/lost-${given.own}`);
      await eventually(() => child.describe());
      await child.terminate();
      spawnNo = 1;
      await handle.signal('poke');
      await eventually(async () => {
        expect((await child.describe()).status.name).toBe('RUNNING');
      });
      await child.terminate();
      await handle.terminate();
    },
  );
});

test('a child that somebody else has started is no trouble for its owner', async () => {
  let owner = '';
  let bench: Bench;
  let asked = 0;
  await withWorker(
    {
      takeNextStep: async (id) => {
        if (id !== owner) return wait;
        asked += 1;
        return asked === 1 ? { ...wait, children: [childOf(`early-${bench.own}`)] } : done();
      },
    },
    async (given) => {
      bench = given;
      owner = `late-${given.own}`;
      const early = await start(given, 'early');
      const handle = await start(given, 'late');
      // A poke before the first question would be answered by it.
      await eventually(async () => expect(asked).toBe(1));
      await handle.signal('poke');
      expect(await handle.result()).toMatchObject({ status: 'completed' });
      await early.terminate();
    },
  );
});

test('cancelling in the engine is told to the store, and the run is not abandoned meanwhile', async () => {
  let bench: Bench;
  let isCancelled = false;
  let wasRunCancelled = false;
  await withWorker(
    {
      takeNextStep: async () => (isCancelled ? done(cancelled) : runOn(bench.queue)),
      cancelByHand: async () => void (isCancelled = true),
      runAgent: async () => {
        const context = Context.current();
        const beat = setInterval(() => context.heartbeat(), 200);
        try {
          await context.cancelled.catch(() => void (wasRunCancelled = true));
        } finally {
          clearInterval(beat);
        }
      },
    },
    async (given) => {
      bench = given;
      const handle = await start(given, 'stop');
      await eventually(async () => {
        const { raw } = await handle.describe();
        expect(raw.pendingActivities).toHaveLength(1);
      });
      await handle.cancel();
      await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
      expect(isCancelled).toBe(true);
      expect(wasRunCancelled).toBe(false);
      expect((await handle.describe()).status.name).toBe('CANCELLED');
    },
  );
});

test('a cancelled one is a cancelled workflow, also where the request to cancel comes after its end; it does not wait for ever', async () => {
  await withWorker({ takeNextStep: async () => done(cancelled) }, async (given) => {
    const [asked, unasked] = [await start(given, 'late'), await start(given, 'never')];
    // It has heard of its end by then, and of nothing else.
    await sleep(500);
    await asked.cancel();
    for (const handle of [asked, unasked]) {
      await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    }
    const statusOf = async (one: typeof asked) => (await one.describe()).status.name;
    expect([await statusOf(asked), await statusOf(unasked)]).toEqual(['CANCELLED', 'FAILED']);
  });
});

test('an invocation that failed is a failed workflow, with its error as the message', async () => {
  const failed: Ending = {
    status: 'failed',
    error: 'exited with code 3',
    errorCode: 'exit_nonzero',
    answer: null,
  };
  await withWorker({ takeNextStep: async () => done(failed) }, async (given) => {
    const handle = await start(given, 'fails');
    const error = await handle.result().catch((caught: unknown) => caught);
    expect((error as WorkflowFailedError).cause?.message).toBe('failed: exited with code 3');
    expect((await handle.describe()).status.name).toBe('FAILED');
  });
});
