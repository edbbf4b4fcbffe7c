/**
 * The cells of `docs/reconciliation.md` whose row is ahead of its workflow, which has not asked, or not
 * heard. All of it happens while the server's side of the engine is away, so that nothing else tells the workflow.
 */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { controlQueue, subAgentWorkflowId } from '../../contract/names.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { findInvocation } from '../../store/invocations.ts';
import { until } from '../e2e/stack.ts';
import { deeds, resetTo } from './deeds.ts';
import { begun, expectToldOnce, family } from './family.ts';
import { createPrograms, endAsking, statusOf, untilAllOver } from './gated-programs.ts';
import { withHome, type Home } from './with-home.ts';

interface Ahead {
  row: string;
  /** What happens unheard by the engine; `end` lets all programs end. */
  happens(home: Home, end: () => Promise<void>, children: string[]): Promise<unknown>;
  engineState: 'unstarted' | 'open' | 'closed' | null;
  /** How a workflow that was cancelled by hand closes. */
  cancelled?: 'CANCELLED';
}

/** An engine under another name: for the store, no workflow of it has ever asked. */
const rename = ({ store }: Home) =>
  store.write((tx) => reconcileEpoch(tx, `another:${randomUUID()}`));

const table: Ahead[] = [
  {
    row: 'not final, its workflow never asked',
    happens: rename,
    engineState: 'unstarted',
    cancelled: 'CANCELLED',
  },
  {
    row: 'final, its workflow never asked',
    happens: async (home, end) => rename(home).then(end),
    engineState: 'unstarted',
  },
  {
    row: 'final, its workflow has not heard of it',
    happens: (_, end) => end(),
    engineState: 'open',
  },
  {
    row: 'final, its workflow closed, but for an engine from a backup',
    async happens({ store }, end) {
      await end();
      await store.write(({ db }) => {
        db.run(`UPDATE subagent_sessions SET engine_state = 'closed'`);
        // Who has asked to the end is owed nothing.
        db.run('DELETE FROM outbox');
      });
    },
    engineState: 'closed',
  },
  {
    row: 'deleted',
    async happens({ ask }, end, children) {
      await end();
      for (const id of children) await ask('deleteSubagent', { id });
    },
    engineState: null,
  },
];

const hands = ['open', 'reset', 'cancelled'] as const;

test.each(table)(
  '$row: a workflow that is open, reset or cancelled asks, and ends as its row does',
  async ({ happens, engineState, cancelled = 'COMPLETED' }) => {
    const { play, open } = createPrograms();
    await withHome(
      play,
      async (home) => {
        const families = await Promise.all(hands.map(() => family(home)));
        const children = families.map(({ child }) => child);
        for (const { parent, child } of families) {
          await Promise.all([begun(home, parent), begun(home, child)]);
        }
        const workflows = children.map(subAgentWorkflowId);
        const end = async () => {
          open();
          for (const { parent } of families) await home.untilStatus(parent, 'completed');
        };
        await home.unlinked(async () => {
          await happens(home, end, children);
          const states = children.map(
            (id) => findInvocation(home.store.db, id)?.engine_state ?? null,
          );
          expect(states).toEqual(hands.map(() => engineState));
          await deeds.reset(home.client, workflows[1]!);
          await deeds.cancelled(home.client, workflows[2]!);
        });
        // A reset one that has not asked would not know of its row's end.
        if (cancelled === 'CANCELLED') await home.untilStatus(children[2]!, 'cancelled');
        open();
        await untilAllOver(home);
        const closed = () => Promise.all(workflows.map((id) => statusOf(home.client, id)));
        const wanted = ['COMPLETED', 'COMPLETED', cancelled];
        await until(closed, (found) => !found.includes('RUNNING'));
        expect(await closed()).toEqual(wanted);
        const rows = children.map((id) => findInvocation(home.store.db, id)?.status.toUpperCase());
        expect(rows).toEqual(engineState === null ? hands.map(() => undefined) : wanted);
        for (const { parent, child } of families) {
          await expectToldOnce(home, parent);
          expect([home.launches(parent), home.launches(child)]).toEqual([2, 1]);
        }
      },
      { slots: 8 },
    );
  },
);

/** A program is under way, and a server has started its workflow and died before that could ask. */
async function startUnasked(home: Home, prompt = 'leaf') {
  const record = await home.start({ prompt });
  await home.untilLaunched(record.id);
  await home.client.workflow.start('subAgent', {
    args: [{ invocationId: record.id }],
    workflowId: record.workflowId,
    taskQueue: controlQueue(home.store.homeId),
  });
  expect(home.row(record.id).engine_state).toBe('unstarted');
  return record;
}

/** Of one that runs and one that has ended, while nobody takes workflows; `deed` is done to the workflow of each. */
async function unasked(home: Home, deed: (workflowId: string) => Promise<unknown>) {
  const all: Awaited<ReturnType<typeof startUnasked>>[] = [];
  await home.unlinked(async () => {
    all.push(await startUnasked(home), await startUnasked(home, 'brief'));
    await home.untilStatus(all[1]!.id, 'completed');
    for (const { workflowId } of all) await deed(workflowId);
  });
  return all;
}

/** Of each how its row and its workflow ended, and how often its program was launched. */
const endsOf = (home: Home, all: { id: string; workflowId: string }[]) =>
  Promise.all(
    all.map(async ({ id, workflowId }) => [
      home.row(id).status,
      await statusOf(home.client, workflowId),
      home.launches(id),
    ]),
  );

test('a workflow that no server has taken yet cannot be reset; cancelled, it cancels what runs, and not what has ended', async () => {
  const { play, open } = createPrograms();
  await withHome(play, async (home) => {
    const all = await unasked(home, async (workflowId) => {
      const { events } = await home.client.workflow.getHandle(workflowId).fetchHistory();
      for (const event of events!) {
        await expect(resetTo(home.client, workflowId, event)).rejects.toThrow('INVALID_ARGUMENT');
      }
      await deeds.cancelled(home.client, workflowId);
    });
    await untilAllOver(home);
    expect(await endsOf(home, all)).toEqual([
      ['cancelled', 'CANCELLED', 1],
      ['completed', 'COMPLETED', 1],
    ]);
    open();
  });
});

test.each(['terminated', 'missing'] as const)(
  'a workflow that no server has taken yet and is %s is begun again, and nothing runs twice',
  async (deed) => {
    const { play, open } = createPrograms();
    await withHome(play, async (home) => {
      const all = await unasked(home, (workflowId) => deeds[deed](home.client, workflowId));
      open();
      await untilAllOver(home);
      for (const { id, workflowId } of all) {
        await until(
          () => statusOf(home.client, workflowId),
          (status) => status === 'COMPLETED',
        );
        expect([home.row(id).status, home.launches(id)]).toEqual(['completed', 1]);
      }
    });
  },
);

test('a workflow that has closed with its row: cancelling changes nothing; reset, it asks and ends, and runs nothing', async () => {
  const { play } = createPrograms();
  await withHome(play, async (home) => {
    const { id, workflowId } = await home.start({ prompt: 'brief' });
    await until(
      () => statusOf(home.client, workflowId),
      (status) => status === 'COMPLETED',
    );
    await deeds.cancelled(home.client, workflowId);
    const handle = home.client.workflow.getHandle(workflowId);
    const before = await handle.describe();
    expect([before.status.name, home.row(id).status]).toEqual(['COMPLETED', 'completed']);
    await deeds.reset(home.client, workflowId);
    const after = await until(
      () => handle.describe(),
      ({ status, runId }) => status.name !== 'RUNNING' && runId !== before.runId,
    );
    expect(after.status.name).toBe('COMPLETED');
    expect([home.row(id).status, home.launches(id)]).toEqual(['completed', 1]);
  });
});

test('final and unheard: its children that have not begun are started as roots where its workflow is missing or terminated, and end where it is cancelled', async () => {
  const { play, open } = createPrograms();
  await withHome(
    play,
    async (home) => {
      const parents = [
        await home.start({ prompt: 'parent' }),
        await home.start({ prompt: 'parent' }),
        await home.start({ prompt: 'parent' }),
      ];
      for (const { id } of parents) await begun(home, id);
      let children: { id: string; workflowId: string }[] = [];
      await home.unlinked(async () => {
        const ask = { prompt: 'leaf', executionMode: 'ASYNC_POLL' } as const;
        children = await Promise.all(parents.map(({ id }) => home.start(ask, home.child(id))));
        for (const parent of parents) {
          endAsking(parent);
          await home.untilStatus(parent.id, 'completed');
        }
        for (const { id } of children) await home.untilLaunched(id);
        await deeds.missing(home.client, parents[0]!.workflowId);
        await deeds.cancelled(home.client, parents[1]!.workflowId);
        await deeds.terminated(home.client, parents[2]!.workflowId);
      });
      for (const at of [0, 2]) await home.untilBegun(children[at]!.id);
      await home.untilStatus(children[1]!.id, 'cancelled');
      open();
      await untilAllOver(home);
      expect(await endsOf(home, [...parents, ...children])).toEqual([
        ['completed', 'missing', 1],
        ['completed', 'COMPLETED', 1],
        ['completed', 'TERMINATED', 1],
        ['completed', 'COMPLETED', 1],
        // As the cancel comes to its workflow before or after the end.
        ['cancelled', expect.stringMatching(/^(CANCELLED|FAILED)$/), 1],
        ['completed', 'COMPLETED', 1],
      ]);
      for (const at of [0, 2]) {
        const root = await home.client.workflow.getHandle(children[at]!.workflowId).describe();
        expect(root.parentExecution).toBeUndefined();
      }
    },
    { slots: 8 },
  );
});
