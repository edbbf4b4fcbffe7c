/** How the engine is set, beside how it would be set now. Changes nothing. */
import { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { searchAttributes } from '../contract/names.ts';
import type { EngineConnection } from './connect-options.ts';
import { engineArguments, parseEngineArguments } from './engine-arguments.ts';
import { readEngineFile } from './engine-file.ts';
import { KEYWORD, prepareNamespace } from './prepare-namespace.ts';
import { isRunning, listProcesses } from './process-identity.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A dev server answers within milliseconds; a cluster elsewhere within a second. */
const answerMs = 3000;

export interface NamespaceView {
  serverVersion: string;
  retentionDays: number;
  /** Those of our search attributes that it does not have. */
  missingAttributes: string[];
  /** Those that it has with another type than ours, which nothing can be sent under. */
  foreignAttributes: { name: string; type: string }[];
}

/** By their numbers; a server that knows more of them than we do tells the number alone. */
const typeNames = ['', 'Text', 'Keyword', 'Int', 'Double', 'Bool', 'Datetime', 'KeywordList'];

/** Rejects where the engine does not answer. */
export async function inspectNamespace(engine: EngineConnection): Promise<NamespaceView> {
  return withConnection(engine, async ({ workflowService, operatorService }) => {
    const { namespace } = engine;
    const { serverVersion } = await workflowService.getSystemInfo({});
    const { config } = await workflowService.describeNamespace({ namespace });
    const retention = config?.workflowExecutionRetentionTtl;
    const listed = await operatorService.listSearchAttributes({ namespace });
    const types = listed.customAttributes ?? {};
    const names = Object.values(searchAttributes);
    return {
      serverVersion: serverVersion ?? '',
      retentionDays: retention ? tsToMs(retention) / DAY_MS : 0,
      missingAttributes: names.filter((name) => !(name in types)),
      foreignAttributes: names
        .filter((name) => (types[name] ?? KEYWORD) !== KEYWORD)
        .map((name) => ({ name, type: typeNames[types[name]!] ?? `type ${types[name]}` })),
    };
  });
}

/** Sets what is missing, as the server does when it connects. */
export async function mendNamespace(
  engine: EngineConnection,
  retentionDays: number,
): Promise<void> {
  const connection = Connection.lazy(engine.connection);
  try {
    await prepareNamespace(connection, engine.namespace, { retentionDays });
  } finally {
    await connection.close();
  }
}

export interface FlagView {
  binary: string;
  pid: number;
  /** Arguments that a start of today would give it and that it was not given; and the other way round. */
  missing: string[];
  extra: string[];
}

/** Of our own dev server, while it runs; null else. */
export function inspectFlags(home: string, durable: boolean): FlagView | null {
  const file = readEngineFile(home);
  if (file === null || !isRunning(file)) return null;
  const args = listProcesses().find(({ pid }) => pid === file.pid)?.args ?? [];
  const known = parseEngineArguments(args);
  if (known === null) return null;
  const wanted = engineArguments({ ...known, durable });
  // The program's own name comes first, and an empty word last.
  const given = args.slice(1).filter((word) => word !== '');
  return {
    binary: file.binary,
    pid: file.pid,
    missing: wanted.filter((word) => !given.includes(word)),
    extra: given.filter((word) => !wanted.includes(word)),
  };
}

async function withConnection<T>(
  { connection: options }: EngineConnection,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = Connection.lazy({ ...options, interceptors: [], connectTimeout: answerMs });
  try {
    return await connection.withDeadline(Date.now() + answerMs, () => use(connection));
  } finally {
    await connection.close();
  }
}
