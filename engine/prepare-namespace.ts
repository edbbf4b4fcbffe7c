import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { searchAttributes } from '../contract/names.ts';

export interface PreparedNamespace {
  /** Another value means that the engine has another memory: a lost, new or upgraded database. */
  epoch: string;
  serverVersion: string;
  /** Those of our search attributes that may be used here. */
  attributes: string[];
}

const DAY_MS = 24 * 3600 * 1000;
/** gRPC status codes: what may pass, what a cluster says that we may not, and what may be repeated. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const refusals = new Set([7, 12, 16]);
/** A dev server makes its namespace shortly after it first answers. */
const appearMsMax = 15_000;
/** New attributes are known at once on a dev server; clusters refresh their caches each minute. */
const usableMsMax = 75_000;
const pollMs = 100;
/** INDEXED_VALUE_TYPE_KEYWORD. */
export const KEYWORD = 2;

/** Sets retention and search attributes where we may, and says what there is. Safe to repeat. */
export async function prepareNamespace(
  connection: Connection,
  namespace: string,
  { retentionDays }: { retentionDays: number },
): Promise<PreparedNamespace> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const described = await describe(connection, namespace);
  await raiseRetention(connection, namespace, described.retentionMs, retentionDays);
  const expected = await addAttributes(connection, namespace);
  const attributes = await usableAttributes(connection, namespace, expected);
  const epoch = `${described.id}:${serverVersion ?? ''}`;
  return { epoch, serverVersion: serverVersion ?? '', attributes };
}

/** Waits for a namespace that is being made. */
async function describe(connection: Connection, namespace: string) {
  const deadline = Date.now() + appearMsMax;
  for (;;) {
    try {
      const answer = await connection.workflowService.describeNamespace({ namespace });
      const retention = answer.config?.workflowExecutionRetentionTtl;
      return {
        id: answer.namespaceInfo?.id ?? '',
        retentionMs: retention ? tsToMs(retention) : 0,
      };
    } catch (error) {
      if (codeOf(error) !== NOT_FOUND || Date.now() > deadline) throw error;
      await sleep(pollMs);
    }
  }
}

/** Never lowers it: somebody else may share the namespace and want more. */
async function raiseRetention(
  connection: Connection,
  namespace: string,
  foundMs: number,
  retentionDays: number,
): Promise<void> {
  const wantedMs = retentionDays * DAY_MS;
  if (foundMs >= wantedMs) return;
  const config = { workflowExecutionRetentionTtl: msToTs(wantedMs) };
  await unlessRefused(() => connection.workflowService.updateNamespace({ namespace, config }));
}

/**
 * Answers those that exist now as keywords, and so become usable if we wait.
 * One by one, so that one that somebody else is adding does not keep the others out.
 */
async function addAttributes(connection: Connection, namespace: string): Promise<Set<string>> {
  const listed = await unlessRefused(() =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const known = listed?.customAttributes ?? {};
  const expected = new Set<string>();
  for (const name of Object.values(searchAttributes)) {
    const isThere = name in known || (await addAttribute(connection, namespace, name));
    if (isThere && (known[name] ?? KEYWORD) === KEYWORD) expected.add(name);
  }
  return expected;
}

async function addAttribute(
  connection: Connection,
  namespace: string,
  name: string,
): Promise<boolean> {
  const request = { namespace, searchAttributes: { [name]: KEYWORD } };
  const answer = await unlessRefused(async () => {
    try {
      return await connection.operatorService.addSearchAttributes(request);
    } catch (error) {
      if (codeOf(error) === ALREADY_EXISTS) return 'there';
      // There is no room for another one: a namespace on an SQL database has ten keywords, for all who share it.
      if (codeOf(error) === INVALID_ARGUMENT) return null;
      throw error;
    }
  });
  return answer !== null;
}

/** An attribute that is not known to the engine would poison every workflow that carries it. */
async function usableAttributes(
  connection: Connection,
  namespace: string,
  expected: Set<string>,
): Promise<string[]> {
  const deadline = Date.now() + usableMsMax;
  const usable: string[] = [];
  for (const name of Object.values(searchAttributes)) {
    let isUsable = await isKnown(connection, namespace, name);
    while (!isUsable && expected.has(name) && Date.now() < deadline) {
      await sleep(pollMs);
      isUsable = await isKnown(connection, namespace, name);
    }
    if (isUsable) usable.push(name);
  }
  return usable;
}

/** A query is refused as invalid while it names an attribute that is unknown or of another type. */
async function isKnown(connection: Connection, namespace: string, name: string): Promise<boolean> {
  const query = `${name} STARTS_WITH 'x'`;
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === INVALID_ARGUMENT || (code !== null && refusals.has(code))) return false;
    throw error;
  }
}

/** Null where the cluster does not let us; it then works with what it has. */
async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    const code = codeOf(error);
    if (code !== null && refusals.has(code)) return null;
    throw error;
  }
}

function codeOf(error: unknown): number | null {
  return isGrpcServiceError(error) ? error.code : null;
}
