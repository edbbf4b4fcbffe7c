/** The server's link to a real engine; no runner host is needed for what is tested here. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { dueRows, markSent } from '../../store/outbox.ts';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';
import { linkEpoch, withLink } from '../support/engine-link.ts';
import { testEngine } from '../support/test-engine.ts';

installSdkRuntime(() => {});

// A machine that is busy with other tests takes its time to start a worker.
jest.setTimeout(90_000);
/** Longer than this test may take: by the clock alone nothing would be sent again. */
const MUCH_LATER_MS = 24 * 60 * 60 * 1000;

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await sleep(20);
  }
}

/** Ids of its own: all tests of a run share the engine. */
function withOwnIds(use: (room: Room) => Promise<void>): Promise<void> {
  return withOperations(async (room) => {
    room.deps.randomId = () => randomUUID().replaceAll('-', '').slice(0, 20);
    await use(room);
  });
}

async function statusOf(workflowId: string): Promise<string> {
  const connection = await Connection.connect(await testEngine());
  try {
    const handle = new Client({ connection }).workflow.getHandle(workflowId);
    return (await handle.describe()).status.name;
  } finally {
    await connection.close();
  }
}

test('what an engine had acknowledged and then lost is sent again as soon as it is connected', async () => {
  await withOwnIds(async (room) => {
    const { address } = await testEngine();
    await room.store.write((tx) => reconcileEpoch(tx, linkEpoch));
    const { id } = await room.start();
    const again = new Date(Date.parse(room.store.now()) + MUCH_LATER_MS).toISOString();
    await room.store.write((tx) => {
      const sent = dueRows(tx.db, tx.now, 10).map((row) => row.id);
      expect(sent).toHaveLength(1);
      markSent(tx, sent, again);
    });
    await withLink(room, address, async () => {
      await until(
        'its workflow has begun, and has asked what is next',
        () => room.row(id).engine_state === 'open',
      );
      expect(room.count('outbox')).toBe(0);
      await room.ask('cancelSubagent', { id });
      await until('it is over', () => room.row(id).engine_state === 'closed');
    });
  });
});

test('the workflow of a session that was deleted while the engine was away comes to its end', async () => {
  await withOwnIds(async (room) => {
    const { address } = await testEngine();
    const key = `main-${randomUUID()}`;
    await room.ask('registerSession', { key });
    const { id } = await room.start({ parentSessionId: key });
    await withLink(room, address, () =>
      until('its child has begun', () => room.row(id).engine_state === 'open'),
    );
    await room.host.play(id, 'done');
    await room.ask('deleteSession', { key });
    expect(await statusOf(`session/default/${key}`)).toBe('RUNNING');
    await withLink(room, address, async () => {
      await until('both workflows have heard of it', () => room.count('outbox') === 0);
      let status = '';
      for (let look = 0; look < 400 && status !== 'COMPLETED'; look += 1) {
        await sleep(50);
        status = await statusOf(`session/default/${key}`);
      }
      expect(status).toBe('COMPLETED');
    });
  });
});
