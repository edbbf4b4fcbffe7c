import { randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { searchAttributes } from '../../contract/names.ts';
import { prepareNamespace } from '../../engine/prepare-namespace.ts';
import {
  addAttributes,
  createNamespace,
  KEYWORD,
  stateOf,
  TEXT,
  whenThere,
  withConnection,
} from '../support/test-namespace.ts';

const names = Object.values(searchAttributes);

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
    await addAttributes(connection, namespace, { [searchAttributes.mode]: KEYWORD });
    const found = await prepareNamespace(refusing(connection), namespace, { retentionDays: 90 });
    expect(found.attributes).toEqual([searchAttributes.mode]);
    expect((await stateOf(connection, namespace)).days).toBe(1);
  });
});

test('an attribute of that name with another type is not counted as usable', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    await addAttributes(connection, namespace, { [searchAttributes.status]: TEXT });
    const { attributes } = await prepareNamespace(connection, namespace, { retentionDays: 1 });
    expect(attributes).toEqual(names.filter((name) => name !== searchAttributes.status));
  });
});

test('a namespace that has no room for another attribute is worked with by those that it has', async () => {
  await withConnection(async (connection) => {
    const namespace = await createNamespace(connection);
    // Ten keywords is what one on an SQL database may have.
    const others = Array.from({ length: 8 }, (_, n) => [`Others${n}`, KEYWORD] as const);
    await addAttributes(connection, namespace, Object.fromEntries(others));
    const { attributes } = await prepareNamespace(connection, namespace, { retentionDays: 2 });
    expect(attributes).toEqual(names.slice(0, 2));
    expect((await stateOf(connection, namespace)).days).toBe(2);
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
