/** Cells of `docs/reconciliation.md`: a row in each state that is in step with its workflow, and that after each deed. */
import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentSessionWorkflowId, subAgentWorkflowId } from '../../contract/names.ts';
import { removeInvocation } from '../../store/lifecycle/remove.ts';
import { completed, settle } from '../../store/lifecycle/settle.ts';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { until } from '../e2e/stack.ts';
import { deeds } from './deeds.ts';
import { begun, expectToldOnce, family } from './family.ts';
import { createPrograms, statusOf, untilAllOver } from './gated-programs.ts';
import { withHome, type Home } from './with-home.ts';

/** After each of these the invocation goes on. */
const mended = ['terminated', 'missing', 'reset'] as const;

/** Each leaves one row in that state, with its workflow begun, and names it. */
const states = {
  /** It waits for the only slot. */
  async pending(home: Home) {
    const busy = await home.start({ prompt: 'leaf' });
    await home.untilLaunched(busy.id);
    return begun(home, (await home.start({ prompt: 'leaf' })).id);
  },
  async running(home: Home) {
    const { child } = await family(home);
    return begun(home, child);
  },
  async waiting(home: Home) {
    const { parent } = await family(home);
    return begun(home, parent);
  },
};
type State = keyof typeof states;

describe.each(Object.keys(states) as State[])('a %s invocation', (state) => {
  const slots = state === 'pending' ? 1 : 4;

  test.each(mended)('whose workflow is %s goes on', async (deed) => {
    const { play, open } = createPrograms();
    await withHome(
      play,
      async (home) => {
        const id = await states[state](home);
        const before = await home.client.workflow.getHandle(subAgentWorkflowId(id)).describe();
        await deeds[deed](home.client, subAgentWorkflowId(id));
        await until(
          () =>
            home.client.workflow
              .getHandle(subAgentWorkflowId(id))
              .describe()
              .catch(() => null),
          (found) => found?.status.name === 'RUNNING' && found.runId !== before.runId,
        );
        open();
        await untilAllOver(home);
        expect((await home.get(id)).status).toBe('completed');
        for (const row of home.store.db.all<{ id: string; status: string }>(
          'SELECT * FROM subagent_sessions',
        )) {
          const turns = (await home.turns(row.id)).filter(({ text }) => text === 'running').length;
          expect([row.status, home.launches(row.id)]).toEqual(['completed', turns]);
        }
        if (state === 'pending') return expect(home.launches(id)).toBe(1);
        const parent = home.row(id).owner_invocation_id ?? id;
        await expectToldOnce(home, parent);
      },
      { slots },
    );
  });

  test('whose workflow is cancelled by hand is cancelled, with all below it', async () => {
    const { play, open } = createPrograms();
    await withHome(
      play,
      async (home) => {
        const id = await states[state](home);
        await deeds.cancelled(home.client, subAgentWorkflowId(id));
        await home.untilStatus(id, 'cancelled');
        open();
        await untilAllOver(home);
        expect(await home.get(id)).toMatchObject({ error: 'cancelled in the engine' });
        expect(await statusOf(home.client, subAgentWorkflowId(id))).toBe('CANCELLED');
        if (state === 'running') await expectToldOnce(home, home.row(id).owner_invocation_id!);
      },
      { slots },
    );
  });
});

describe('an invocation that has ended', () => {
  /** As after a backup of the engine came back: it has ended, and its workflow has not heard of it. */
  async function endUnheard(home: Home): Promise<string> {
    const { parent, child } = await family(home);
    await begun(home, parent);
    // Something has to be open, or nobody looks.
    await home.start({ prompt: 'leaf' });
    await home.store.write((tx) => {
      settle(tx, child, completed);
      settle(tx, parent, completed);
      tx.db.run('DELETE FROM outbox WHERE kind = :kind', { kind: 'poke' });
    });
    return parent;
  }

  test('ends its workflow, also where that has not heard of it', async () => {
    const { play, open } = createPrograms();
    await withHome(play, async (home) => {
      const id = await endUnheard(home);
      await until(
        () => statusOf(home.client, subAgentWorkflowId(id)),
        (status) => status === 'COMPLETED',
      );
      open();
      await untilAllOver(home);
    });
  });

  test('and was deleted leaves no workflow behind', async () => {
    const { play, open } = createPrograms();
    await withHome(play, async (home) => {
      const id = await endUnheard(home);
      await home.store.write((tx) => {
        removeInvocation(tx, id, () => {});
        tx.db.run('DELETE FROM outbox WHERE kind = :kind', { kind: 'poke' });
      });
      await until(
        () => statusOf(home.client, subAgentWorkflowId(id)),
        (status) => status === 'COMPLETED',
      );
      open();
      await untilAllOver(home);
    });
  });

  test.each(['after', 'before'])(
    'and was deleted begins at once when it is asked for anew, %s its workflow has ended',
    async (moment) => {
      const { play } = createPrograms();
      await withHome(play, async (home) => {
        const caller = { ...home.admin, idempotencyKey: randomUUID() };
        const { id } = await home.start({ prompt: 'brief' }, caller);
        await home.untilStatus(id, 'completed');
        if (moment === 'after') await untilAllOver(home);
        await home.ask('deleteSubagent', { id });
        await home.start({ prompt: 'brief' }, caller);
        await home.untilLaunched(id, 2);
        await untilAllOver(home);
        expect((await home.get(id)).status).toBe('completed');
      });
    },
  );

  test('is not begun again when its workflow is deleted', async () => {
    const { play, open } = createPrograms();
    await withHome(play, async (home) => {
      const ended = await home.start({ prompt: 'brief' });
      await untilAllOver(home);
      await home.client.workflowService.deleteWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: subAgentWorkflowId(ended.id) },
      });
      // Something has to be open, or nobody looks: long enough for several looks.
      const other = await home.start({ prompt: 'leaf' });
      await home.untilLaunched(other.id);
      await sleep(1000);
      open();
      await untilAllOver(home);
      expect([home.launches(ended.id), home.row(ended.id).spawn_no]).toEqual([1, 0]);
    });
  });
});

describe('an external session', () => {
  test.each([...mended, 'cancelled'] as const)(
    'whose workflow is %s is told what its child has answered',
    async (deed) => {
      const { play, open } = createPrograms();
      await withHome(play, async (home) => {
        const key = `chat-${randomUUID()}`;
        await home.ask('registerSession', { key });
        const child = await home.start({
          prompt: 'leaf',
          executionMode: 'ASYNC_CALLBACK',
          parentSessionId: key,
        });
        await home.untilLaunched(child.id);
        await home.untilBegun(child.id);
        await deeds[deed](home.client, agentSessionWorkflowId('default', key));
        const second = await home.start({ prompt: 'leaf', parentSessionId: key });
        await home.untilLaunched(second.id);
        open();
        await home.untilStatus(child.id, 'completed');
        await home.untilStatus(second.id, 'completed');
        expect(await home.callbacks(key)).toHaveLength(1);
      });
    },
  );
});

describe('an engine with another version or database name, its workflows still there', () => {
  test.each(Object.keys(states) as State[])('goes on with what is %s', async (state) => {
    const { play, open } = createPrograms();
    await withHome(
      play,
      async (home) => {
        const id = await states[state](home);
        await home.store.write((tx) => reconcileEpoch(tx, `another:${randomUUID()}`));
        expect(home.row(id).engine_state).toBe('unstarted');
        open();
        await untilAllOver(home);
        expect((await home.get(id)).status).toBe('completed');
        if (state !== 'pending') {
          await expectToldOnce(home, home.row(id).owner_invocation_id ?? id);
        }
      },
      { slots: state === 'pending' ? 1 : 4 },
    );
  });
});
