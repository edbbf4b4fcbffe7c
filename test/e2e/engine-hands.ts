/** What tests do to the engine of a stack, and what they ask it behind the server's back. */
import { Client, Connection } from '@temporalio/client';
import type { SubAgentRecord } from '../../contract/records.ts';
import { isLiving } from './crash-fixture.ts';
import type { HeldEngine } from './held-engine.ts';
import { until, type Stack } from './stack.ts';

/** Asked for at each use, because a stack is up only when the tests run. */
export function engineHands(stack: () => Stack, engine: () => HeldEngine) {
  const health = () => stack().client.call('getHealth', {});

  const untilBack = (connected = true) =>
    until(health, (found) => found.engine.connected === connected);

  /** Kills the engine, does something while it is down, and lets it come back. */
  async function withEngineDown<T>(work: () => Promise<T>): Promise<T> {
    engine().hold();
    try {
      const pid = stack().pid('engine');
      stack().kill('engine');
      await until(
        async () => isLiving(pid),
        (lives) => !lives,
      );
      return await work();
    } finally {
      engine().release();
    }
  }

  async function withEngine<T>(look: (client: Client) => Promise<T>): Promise<T> {
    const { engine: told } = await health();
    const connection = await Connection.connect({ address: told.address! });
    try {
      return await look(new Client({ connection, namespace: told.namespace }));
    } finally {
      await connection.close();
    }
  }

  /** How and when its workflow has closed, as soon as it has. */
  async function closeOf({ workflowId }: SubAgentRecord): Promise<{ status: string; at: number }> {
    const look = () =>
      withEngine(({ workflow }) => workflow.getHandle(workflowId).describe()).catch(() => null);
    const found = await until(look, (told) => told !== null && told.status.name !== 'RUNNING');
    return { status: found!.status.name, at: found!.closeTime!.getTime() };
  }

  return { untilBack, withEngineDown, withEngine, closeOf };
}
