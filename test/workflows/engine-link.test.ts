/** The server's link to a real engine; no runner host is needed for what is tested here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { reconcileEpoch } from '../../store/lifecycle/rebuild.ts';
import { dueRows, markSent } from '../../store/outbox.ts';
import { EngineLink } from '../../worker/engine-link.ts';
import { installSdkRuntime } from '../../worker/sdk-runtime.ts';
import { withOperations, type Room } from '../operations/operations-fixture.ts';
import { testEngine } from '../support/test-engine.ts';

installSdkRuntime(() => {});

const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const epoch = 'the same engine as before';
/** Longer than this test may take: by the clock alone nothing would be sent again. */
const MUCH_LATER_MS = 24 * 60 * 60 * 1000;

async function withLink<T>(room: Room, use: () => Promise<T>): Promise<T> {
  const { address } = await testEngine();
  const link = new EngineLink({
    store: room.store,
    target: () => ({
      connection: { address },
      namespace: 'default',
      address,
      uiUrl: null,
      instance: null,
    }),
    namespace: 'default',
    prepare: async () => ({ epoch, serverVersion: '1', attributes: [] }),
    workflowBundle: bundle,
    sessionIdleMs: () => 100,
    onChange: () => {},
    log: () => {},
  });
  try {
    return await use();
  } finally {
    await link.stop();
  }
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await sleep(20);
  }
}

test('what an engine had acknowledged and then lost is sent again as soon as it is connected', async () => {
  await withOperations(async (room) => {
    await room.store.write((tx) => reconcileEpoch(tx, epoch));
    const { id } = await room.start();
    const again = new Date(Date.parse(room.store.now()) + MUCH_LATER_MS).toISOString();
    await room.store.write((tx) => {
      const sent = dueRows(tx.db, tx.now, 10).map((row) => row.id);
      expect(sent).toHaveLength(1);
      markSent(tx, sent, again);
    });
    await withLink(room, async () => {
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
