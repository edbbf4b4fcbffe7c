/** What runs and ends while the engine is away is all in it afterwards. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { agentSessionWorkflowId } from '../../contract/names.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { until } from '../e2e/stack.ts';
import { stepsIn } from '../support/history-steps.ts';
import { createPrograms, endAsking, statusOf, untilAllOver } from './gated-programs.ts';
import { withHome, type Home } from './with-home.ts';

/** Time enough for all that is to end before the engine is back. */
const AWAY_MS = 3000;

/** A root with a child and a grandchild, and one each that fails and is cancelled, all while the engine is away. */
async function endEarly(home: Home) {
  const key = `chat-${randomUUID()}`;
  await home.ask('registerSession', { key });
  const back = home.relink(AWAY_MS);
  const root = await home.start({ prompt: 'parent', parentSessionId: key });
  const child = await home.start(
    { prompt: 'parent', executionMode: 'ASYNC_CALLBACK' },
    home.child(root.id),
  );
  const grandchild = await home.start(
    { prompt: 'brief', executionMode: 'ASYNC_CALLBACK' },
    home.child(child.id),
  );
  for (const one of [child, root]) endAsking(one);
  const failed = await home.start({ prompt: 'failing' });
  const cancelled = await home.start({ prompt: 'leaf' });
  await home.untilLaunched(cancelled.id);
  await home.ask('cancelSubagent', { id: cancelled.id });
  for (const { id } of [root, child, grandchild]) await home.untilStatus(id, 'completed');
  await home.untilStatus(failed.id, 'failed');
  await home.untilStatus(cancelled.id, 'cancelled');
  const all = [root, child, grandchild, failed, cancelled];
  for (const { id } of all) expect(home.row(id).engine_state).toBe('unstarted');
  await back;
  return { key, all };
}

test('what ended before its workflow began gets one that shows its ending, under its owner, and runs no program again', async () => {
  const { play, open } = createPrograms();
  await withHome(play, async (home) => {
    const { key, all } = await endEarly(home);
    await untilAllOver(home);
    const look = () =>
      Promise.all(
        all.map(async ({ workflowId }) => {
          const handle = home.client.workflow.getHandle(workflowId);
          const { status, parentExecution } = await handle.describe();
          const { events } = await handle.fetchHistory();
          // How an agent ended says nothing of where this code lies.
          expect(JSON.stringify(events).includes('sub-agent.ts')).toBe(false);
          return [status.name, parentExecution?.workflowId, stepsIn(events!) <= 18];
        }),
      );
    // The store has their ends before the engine has them.
    const told = await until(look, (found) => found.every(([status]) => status !== 'RUNNING'), 30);
    const [root, child] = all;
    expect(told).toEqual([
      ['COMPLETED', agentSessionWorkflowId('default', key), expect.any(Boolean)],
      ['COMPLETED', root!.workflowId, expect.any(Boolean)],
      ['COMPLETED', child!.workflowId, true],
      ['FAILED', undefined, true],
      ['CANCELLED', undefined, true],
    ]);
    expect(all.map(({ id }) => home.launches(id))).toEqual([2, 2, 1, 1, 1]);
    open();
  });
});

test('it gets one in another engine, too, if that of before is lost meanwhile', async () => {
  const { play, open } = createPrograms();
  await withHome(play, async (home) => {
    const ended = home.relink(AWAY_MS);
    const { id, workflowId } = await home.start({ prompt: 'brief' });
    await home.untilStatus(id, 'completed');
    await home.store.write((tx) => reconcileEpoch(tx, `another:${randomUUID()}`));
    await ended;
    await until(
      () => statusOf(home.client, workflowId),
      (status) => status === 'COMPLETED',
    );
    open();
    await untilAllOver(home);
    expect(home.launches(id)).toBe(1);
  });
});
