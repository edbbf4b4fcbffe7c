/** The row of `docs/reconciliation.md` between a cancel and the end of what it was meant for. */
import { expect, test } from '@jest/globals';
import { subAgentWorkflowId } from '../../contract/names.ts';
import { until } from '../e2e/stack.ts';
import { deeds } from './deeds.ts';
import { begun, expectToldOnce, family } from './family.ts';
import { createPrograms, statusOf, untilAllOver } from './gated-programs.ts';
import { withHome, type Home } from './with-home.ts';

test('whatever is done to the workflow of what is being cancelled, it is cancelled when its process has ended, told once, and not begun again', async () => {
  const { play, open } = createPrograms();
  let die = () => {};
  const dead = new Promise<void>((resolve) => (die = resolve));
  const run = async (home: Home) => {
    const families = await Promise.all(deedsDone.map(() => family(home)));
    const children = families.map(({ child }) => child);
    for (const { parent, child } of families) {
      await Promise.all([begun(home, parent), begun(home, child)]);
    }
    const workflows = children.map(subAgentWorkflowId);
    const runs = () => Promise.all(workflows.map((id) => openRunOf(home, id)));
    const before = await runs();
    for (const id of children) await home.ask('cancelSubagent', { id });
    await until(
      async () => home.count('outbox'),
      (n) => n === 0,
    );
    for (const [at, deed] of deedsDone.entries()) {
      if (deed !== null) await deeds[deed](home.client, workflows[at]!);
    }
    // As long as it is not over, it has a workflow.
    const after = await until(runs, (all) => !all.includes(null) && all[2] !== before[2]);
    expect(after.map((runId, at) => runId === before[at])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const id of children) {
      expect(home.row(id)).toMatchObject({
        status: 'running',
        cancel_requested_at: expect.any(String),
      });
    }
    die();
    await untilAllOver(home);
    for (const { parent, child } of families) {
      expect(await home.get(child)).toMatchObject({
        status: 'cancelled',
        error: 'cancelled on request',
      });
      await expectToldOnce(home, parent);
      expect([home.launches(parent), home.launches(child)]).toEqual([2, 1]);
    }
    const ends = await Promise.all(workflows.map((id) => statusOf(home.client, id)));
    expect(ends).toEqual(deedsDone.map(() => 'CANCELLED'));
  };
  await withHome(
    play,
    async (home) => {
      try {
        await run(home);
      } finally {
        die();
        open();
      }
    },
    { slots: 8, dying: () => dead },
  );
});

/** Null: it is left alone. */
const deedsDone = [null, 'cancelled', 'reset', 'terminated', 'missing'] as const;

/** Null where none is open. */
async function openRunOf({ client }: Home, id: string): Promise<string | null> {
  const handle = client.workflow.getHandle(id);
  const found = await handle.describe().catch(() => null);
  return found?.status.name === 'RUNNING' ? found.runId : null;
}
