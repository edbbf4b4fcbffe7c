/** The server's timer, and a clock that jumps. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startKeeper } from '../../worker/keeper.ts';
import { withOperations } from '../operations/operations-fixture.ts';

const LOOK_MS = 10;

test('a clock that is set back by an hour puts off what time brings about by seconds, and not by an hour', async () => {
  await withOperations(async (room) => {
    const stop = startKeeper(room.store, room.deps.config, () => {}, LOOK_MS);
    /** In steps of an ordinary look. */
    const pass = async (seconds: number) => {
      for (let gone = 0; gone < seconds; gone += 1) {
        room.clock.advance(1000);
        await sleep(3 * LOOK_MS);
      }
    };
    try {
      const run = await room.host.claim((await room.start()).id);
      await pass(2);
      room.clock.advance(-3_600_000);
      await sleep(3 * LOOK_MS);
      await room.ask('cancelSubagent', { id: run.invocationId });
      // A host is asked to stop it, and gets the time for that.
      await pass(10);
      expect(room.row(run.invocationId).status).toBe('running');
      await pass(room.deps.config().limits.killGraceSeconds + 10);
      expect(room.row(run.invocationId).status).toBe('cancelled');
    } finally {
      stop();
    }
  });
});
