/** What the engine has of the trees. It is asked itself: what the store says of it is the store's belief. */
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { SubAgentRecord } from '../../contract/records.ts';
import { readEngineFile } from '../../engine/engine-file.ts';
import { rows } from '../e2e/rows.ts';
import { until } from '../e2e/stack.ts';
import type { FaultStack } from './fault-stack.ts';

export interface Expected {
  /** Each of these is there, and closed. */
  members: SubAgentRecord[];
  /** Workflows that may still run. */
  mayRun: string[];
  /** Its database was deleted: what was over by then is in none. */
  hasForgotten: boolean;
}

/** Within these seconds the engine has all that it should have, nothing runs there, and nothing is to be sent. */
export async function untilInEngine(
  { home }: FaultStack,
  expected: Expected,
  seconds: number,
): Promise<void> {
  await until(
    // It may be the one that has just died.
    () => whatIsLeft(home, expected).catch((error: unknown) => [String(error)]),
    (left) => left.length === 0,
    seconds,
  );
}

async function whatIsLeft(home: string, expected: Expected): Promise<string[]> {
  const { address, namespace } = readEngineFile(home)!;
  const connection = await Connection.connect({ address, connectTimeout: '1s' });
  try {
    const { workflow } = new Client({ connection, namespace });
    const running: string[] = [];
    for await (const one of workflow.list({ query: `ExecutionStatus = 'Running'` })) {
      if (!expected.mayRun.includes(one.workflowId)) running.push(`${one.workflowId} runs`);
    }
    return [...running, ...(await notClosed(home, workflow, expected)), ...toBeSent(home)];
  } finally {
    await connection.close();
  }
}

async function notClosed(
  home: string,
  workflow: Client['workflow'],
  { members, hasForgotten }: Expected,
): Promise<string[]> {
  const unstarted = `SELECT id FROM subagent_sessions WHERE engine_state = 'unstarted'`;
  const isToCome = new Set(rows<{ id: string }>(home, unstarted).map(({ id }) => id));
  const asked = members.map(async ({ id, workflowId }) => {
    const found = await workflow.getHandle(workflowId).describe().catch(unlessMissing);
    if (found === null)
      return hasForgotten && !isToCome.has(id) ? [] : [`${workflowId} is missing`];
    // The list lags behind a little; this does not.
    return found.status.name === 'RUNNING' ? [`${workflowId} runs`] : [];
  });
  return (await Promise.all(asked)).flat();
}

const toBeSent = (home: string) =>
  rows<{ target: string }>(home, 'SELECT workflow_id AS target FROM outbox').map(
    ({ target }) => `a message to ${target} is not done with`,
  );

function unlessMissing(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
