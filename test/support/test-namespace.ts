/** Namespaces of the run's dev server for one test each, made, spoilt and looked at past our own code. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { testEngine } from './test-engine.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Of search attributes; INDEXED_VALUE_TYPE_TEXT and _KEYWORD. */
export const TEXT = 1;
export const KEYWORD = 2;

export async function withConnection(run: (connection: Connection) => Promise<void>) {
  const { address } = await testEngine();
  const connection = await Connection.connect({ address });
  try {
    await run(connection);
  } finally {
    await connection.close();
  }
}

export async function createNamespace(connection: Connection, days = 1): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(days * DAY_MS),
  });
  return namespace;
}

/** Asked anew from the server each time, past what our code says. */
export async function stateOf(connection: Connection, namespace: string) {
  const described = await connection.workflowService.describeNamespace({ namespace });
  const listed = await connection.operatorService.listSearchAttributes({ namespace });
  return {
    id: described.namespaceInfo?.id,
    days: tsToMs(described.config?.workflowExecutionRetentionTtl ?? undefined) / DAY_MS,
    attributes: listed.customAttributes,
  };
}

export async function addAttributes(
  connection: Connection,
  namespace: string,
  attributes: Record<string, number>,
): Promise<void> {
  const request = { namespace, searchAttributes: attributes };
  await whenThere(() => connection.operatorService.addSearchAttributes(request));
}

/** The frontend learns of a new namespace a moment later. */
export async function whenThere<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(200);
    }
  }
}
