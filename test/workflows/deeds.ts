/** What somebody does to a workflow by hand, in Temporal UI or with its command line. */
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { until } from '../e2e/stack.ts';

export const deeds = {
  terminated: async (client: Client, id: string): Promise<void> =>
    void (await client.workflow.getHandle(id).terminate('by hand')),
  missing: async (client: Client, id: string): Promise<void> => {
    const runOf = () =>
      client.workflow
        .getHandle(id)
        .describe()
        .then(({ runId }) => runId)
        .catch(() => null);
    const before = await runOf();
    await client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: id },
    });
    // A server that is there may have begun it again before anybody has seen it missing.
    await until(runOf, (runId) => runId !== before);
  },
  reset: async (client: Client, id: string): Promise<void> => {
    const handle = client.workflow.getHandle(id);
    const firstTask = await until(
      async () =>
        (await handle.fetchHistory()).events!.find(
          (event) => event.workflowTaskCompletedEventAttributes,
        ),
      (found) => found !== undefined,
    );
    await resetTo(client, id, firstTask!);
  },
  cancelled: async (client: Client, id: string): Promise<void> =>
    void (await client.workflow.getHandle(id).cancel()),
} as const;

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** Begins it again behind this event, which has to be a workflow task that some server has taken. */
export async function resetTo(client: Client, id: string, event: Event): Promise<void> {
  const { runId } = await client.workflow.getHandle(id).describe();
  await client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: id, runId },
    reason: 'by hand',
    workflowTaskFinishEventId: event.eventId!,
    requestId: randomUUID(),
  });
}
