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
  /** Its database was deleted: what was over by then is in none. */
  hasForgotten: boolean;
}

/** Within these seconds the engine has all of a tree, none of it runs there, and nothing is to be sent. */
export const untilInEngine = (stack: FaultStack, expected: Expected, seconds: number) =>
  untilNothingLeft(stack, (workflow) => notClosed(stack.home, workflow, expected), seconds);

/** Nothing at all runs there: all trees are over, and their sessions have had their rest. The list lags behind a little. */
export const untilEngineRests = (stack: FaultStack) => untilNothingLeft(stack, running, 30);

async function untilNothingLeft(
  { home }: FaultStack,
  leftIn: (workflow: Client['workflow']) => Promise<string[]>,
  seconds: number,
): Promise<void> {
  const look = async () => {
    const { address, namespace } = readEngineFile(home)!;
    const connection = await Connection.connect({ address, connectTimeout: '1s' });
    try {
      const { workflow } = new Client({ connection, namespace });
      return [...(await leftIn(workflow)), ...toBeSent(home)];
    } finally {
      await connection.close();
    }
  };
  await until(
    // It may be the one that has just died.
    () => look().catch((error: unknown) => [String(error)]),
    (left) => left.length === 0,
    seconds,
  );
}

async function running(workflow: Client['workflow']): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    found.push(`${workflowId} runs`);
  }
  return found;
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
