import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { expect, test } from '@jest/globals';
import { searchAttributes } from '../../contract/names.ts';
import { prepareNamespace } from '../../engine/prepare-namespace.ts';
import { testEngine } from '../support/test-engine.ts';

const DAY_MS = 24 * 3600 * 1000;
const KEYWORD = 2;
const TEXT = 1;
const names = Object.values(searchAttributes);

async function withConnection(run: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await Connection.connect(await testEngine());
  try {
    await run(connection);
  } finally {
    await connection.close();
  }
}

async function createNamespace(connection: Connection, days = 1): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(days * DAY_MS),
  });
  return namespace;
}

/** Asked anew from the server each time, past what our code says. */
async function stateOf(connection: Connection, namespace: string) {
  const described = await connection.workflowService.describeNamespace({ namespace });
  const listed = await connection.operatorService.listSearchAttributes({ namespace });
  return {
    id: described.namespaceInfo?.id,
    days: tsToMs(described.config?.workflowExecutionRetentionTtl ?? undefined) / DAY_MS,
    attributes: listed.customAttributes,
  };
}

/** The frontend learns of a new namespace a moment later. */
async function whenThere<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(200);
    }
  }
}

test('retention and search attributes are really set, and a repeat changes nothing', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    const first = await prepareNamespace(connection, namespace, { retentionDays: 90 });
    const state = await whenThere(() => stateOf(connection, namespace));
    expect(state.days).toBe(90);
    expect(state.attributes).toMatchObject(Object.fromEntries(names.map((n) => [n, KEYWORD])));
    expect(first.attributes).toEqual(names);
    expect(first.epoch).toBe(`${state.id}:${first.serverVersion}`);
    expect(first.serverVersion).toMatch(/^\d+\.\d+\.\d+/);
    expect(await prepareNamespace(connection, namespace, { retentionDays: 90 })).toEqual(first);
    expect(await stateOf(connection, namespace)).toEqual(state);
  });
});

test('a workflow may carry every attribute as soon as it has answered', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    await prepareNamespace(connection, namespace, { retentionDays: 1 });
    const data = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') };
    await connection.workflowService.startWorkflowExecution({
      namespace,
      workflowId: 'w',
      requestId: randomUUID(),
      workflowType: { name: 'none' },
      taskQueue: { name: 'none' },
      searchAttributes: { indexedFields: Object.fromEntries(names.map((name) => [name, data])) },
    });
  });
});

test('another namespace has another epoch', async () => {
  await withConnection(async (connection) => {
    const epochs = [];
    for (let i = 0; i < 2; i += 1) {
      const namespace = await createNamespace(connection);
      const { epoch } = await prepareNamespace(connection, namespace, { retentionDays: 1 });
      epochs.push(epoch);
    }
    expect(new Set(epochs).size).toBe(2);
  });
});

test('a longer retention is left as it is', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection, 365);
    await prepareNamespace(connection, namespace, { retentionDays: 90 });
    expect((await whenThere(() => stateOf(connection, namespace))).days).toBe(365);
  });
});

test('a cluster that lets us change nothing is worked with as it is', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    await whenThere(() => stateOf(connection, namespace));
    const add = (name: string) =>
      connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: { [name]: KEYWORD },
      });
    await whenThere(() => add(searchAttributes.mode));
    const found = await prepareNamespace(refusing(connection), namespace, { retentionDays: 90 });
    expect(found.attributes).toEqual([searchAttributes.mode]);
    expect((await stateOf(connection, namespace)).days).toBe(1);
  });
});

test('an attribute of that name with another type is not counted as usable', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    const searchAttribute = { [searchAttributes.status]: TEXT };
    await whenThere(() =>
      connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: searchAttribute,
      }),
    );
    const { attributes } = await prepareNamespace(connection, namespace, { retentionDays: 1 });
    expect(attributes).toEqual(names.filter((name) => name !== searchAttributes.status));
  });
});

/** The far side of a network: everything that would change something answers PERMISSION_DENIED. */
function refusing(connection: Connection): Connection {
  const refuse = () => Promise.reject(Object.assign(new Error('no'), denied));
  const operatorService = new Proxy(connection.operatorService, { get: () => refuse });
  const workflowService = new Proxy(connection.workflowService, {
    get: (target, name) =>
      name === 'updateNamespace' ? refuse : (Reflect.get(target, name) as () => void).bind(target),
  });
  return Object.assign(Object.create(connection) as Connection, {
    operatorService,
    workflowService,
  });
}
const denied = { code: 7, details: 'no', metadata: {} };
