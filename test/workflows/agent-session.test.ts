import { expect, test } from '@jest/globals';
import { withWorker } from './with-worker.ts';

test("an external session's workflow rests when nothing is open, and a message brings it back", async () => {
  let asked = 0;
  await withWorker(
    {
      takeNextSessionStep: async () => {
        asked += 1;
        return { details: 'a session', children: [], idleMs: 100 };
      },
    },
    async ({ client, queue, own }) => {
      const poke = () =>
        client.workflow.signalWithStart('agentSession', {
          args: [{ agentId: 'default', sessionKey: own }],
          workflowId: `session/default/${own}`,
          taskQueue: queue,
          signal: 'poke',
          signalArgs: [],
        });
      const first = await poke();
      await first.result();
      const before = asked;
      const second = await poke();
      await second.result();
      expect(asked).toBeGreaterThan(before);
      expect((await second.describe()).status.name).toBe('COMPLETED');
    },
  );
});

test('it stays for as long as something is open', async () => {
  let isOpen = true;
  await withWorker(
    {
      takeNextSessionStep: async () => ({
        details: 'a session',
        children: [],
        idleMs: isOpen ? null : 50,
      }),
    },
    async ({ client, queue, own }) => {
      const handle = await client.workflow.start('agentSession', {
        args: [{ agentId: 'default', sessionKey: own }],
        workflowId: `session/default/${own}`,
        taskQueue: queue,
      });
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect((await handle.describe()).status.name).toBe('RUNNING');
      isOpen = false;
      await handle.signal('poke');
      await handle.result();
    },
  );
});
