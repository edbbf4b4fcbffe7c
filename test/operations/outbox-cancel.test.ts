import { expect, test } from '@jest/globals';
import { nextStep } from '../../store/lifecycle/next-step.ts';
import { markSent, type OutboxRow } from '../../store/outbox.ts';
import { withOperations } from './operations-fixture.ts';

const around = { homeId: 'h', attributes: [], sessionIdleMs: 1000 };

test('a request to cancel is sent until the workflow has it, also to one that asks or begins before it has come', async () => {
  await withOperations(async (room) => {
    const { id } = await room.start();
    const asks = (isCancelled: boolean) =>
      room.store.write((tx) => nextStep(tx, around, id, [], isCancelled));
    const toCancel = () =>
      room.store.db.all<OutboxRow>(`SELECT * FROM outbox WHERE kind = 'cancel'`);
    await asks(false);
    await room.ask('cancelSubagent', { id });
    for (let time = 0; time < 2; time += 1) {
      await asks(false);
      expect(toCancel()).toHaveLength(1);
      expect(room.row(id).engine_state).toBe('open');
    }
    // It is the engine's own then: nobody looks for its effect.
    const ids = toCancel().map((row) => row.id);
    await room.store.write((tx) => markSent(tx, ids, tx.now));
    expect(toCancel()).toEqual([]);
    await asks(true);
    expect(toCancel()).toEqual([]);
    expect(room.row(id).engine_state).toBe('closed');
  });
});
