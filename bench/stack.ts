/** Engine, server and runner host as real processes on a home of their own, as `offshoot up` starts them. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import BetterSqlite3 from 'better-sqlite3';
import { createClient, discover, type OffshootClient } from '../client/index.ts';
import { createTransport, requestJson, type Transport } from '../client/transport.ts';
import { loadConfig } from '../config/index.ts';
import { homePaths } from '../contract/home.ts';
import type { SubAgentRecord } from '../contract/records.ts';
import { readEngineFile } from '../engine/engine-file.ts';
import { launch } from '../launcher/index.ts';

export type ProcessName = 'engine' | 'server' | 'host';

export interface Stack {
  home: string;
  client: OffshootClient;
  /** One request and its answer without the typed client around it: floors are asked the same way. */
  server: Transport;
  /** The same engine that the stack works on. */
  engine: Client;
  engineAddress: string;
  pid(name: ProcessName): number;
}

/** What `echo` costs is what a spawn costs; `hold` keeps its slot until it is cancelled. */
export const stackRunners = {
  echo: { kind: 'command', command: 'echo', args: ['hello'] },
  hold: { kind: 'command', command: 'sleep', args: ['3600'], turns: true },
};

export interface StackConfig {
  runners?: Record<string, Record<string, unknown>>;
  limits?: Record<string, number>;
}

export async function withHome<T>(
  config: StackConfig,
  use: (home: string) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'offshoot-bench-'));
  const content = { runners: { ...stackRunners, ...config.runners }, limits: config.limits ?? {} };
  writeFileSync(join(home, 'config.json'), JSON.stringify(content));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function runStack<T>(home: string, use: (stack: Stack) => Promise<T>): Promise<T> {
  const { env } = process;
  const launcher = await launch({
    ...{ home, port: 0, env, readConfig: () => loadConfig(home) },
    // Kills of one row follow each other, but are no crash loop: each comes as if the last were long ago.
    timing: { steadyMs: 1000 },
    onEvent: () => {},
  });
  // Its processes are not children that would end with this one.
  const end = () => void launcher.stop().then(() => process.exit(130));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await launcher.ready;
    const { url, token } = discover(home);
    const engineAddress = readEngineFile(home)!.address;
    const connection = await Connection.connect({ address: engineAddress });
    const paths = homePaths(home);
    const pidIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
    const pidFiles = { server: paths.serverPidFile, host: paths.hostPidFile };
    try {
      return await use({
        ...{ home, engineAddress },
        client: createClient({ url, token }),
        server: createTransport({ url, token, retryMs: 0 }),
        engine: new Client({ connection }),
        pid: (name) => (name === 'engine' ? readEngineFile(home)!.pid : pidIn(pidFiles[name])),
      });
    } finally {
      await connection.close();
    }
  } finally {
    await launcher.stop();
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

export async function withStack<T>(
  config: StackConfig,
  use: (stack: Stack) => Promise<T>,
): Promise<T> {
  return withHome(config, (home) => runStack(home, use));
}

export function post(to: Transport, path: string, body: unknown): Promise<unknown> {
  return requestJson(to, { method: 'POST', path, body, headers: {}, waitSeconds: 0 });
}

export function get(from: Transport, path: string): Promise<unknown> {
  return requestJson(from, { method: 'GET', path, body: null, headers: {}, waitSeconds: 0 });
}

/** An invocation that holds a slot and asks for nothing by itself, once it runs. */
export async function startHolder({ client }: Pick<Stack, 'client'>): Promise<SubAgentRecord> {
  const { id } = await client.call('runSubagent', {
    ...{ runnerId: 'hold', prompt: 'stay', executionMode: 'ASYNC_POLL' },
  });
  return until(
    () => client.call('getSubagent', { id }),
    (record) => record.status === 'running',
  );
}

/** All that most rows need of a stack, and a test has, too. */
export type Speakers = Pick<Stack, 'client' | 'engine'>;
type Named = Pick<SubAgentRecord, 'id' | 'workflowId'>;

/**
 * Until the workflows have closed, too: what they still do must not be counted to whoever comes next. Both
 * waits are long polls, so that waiting is no load of its own.
 */
export async function untilClosed({ client, engine }: Speakers, ...asked: Named[]): Promise<void> {
  const ids = asked.map(({ id }) => id);
  const { done } = await client.call('waitSubagents', { ids, until: 'all' });
  const bad = done.find(({ status }) => status !== 'completed');
  if (bad) throw new Error(`${bad.id} ${bad.status}: ${bad.error}`);
  await Promise.all(asked.map(({ workflowId }) => closed(engine, workflowId)));
}

/** An invocation may have ended before its workflow began; the engine cannot be asked to wait for that. */
export async function closed(engine: Client, workflowId: string): Promise<void> {
  const handle = engine.workflow.getHandle(workflowId);
  await until(
    () => handle.result().then(() => true, unlessNotFound),
    (isClosed) => isClosed,
  );
}

function unlessNotFound(error: unknown): false {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
  return false;
}

/** Ends what `startHolder` began. */
export async function endHolder(
  { client, engine }: Speakers,
  { id, workflowId }: Named,
): Promise<void> {
  const handle = engine.workflow.getHandle(workflowId);
  // It runs before its workflow has begun, whose history is to be counted.
  await until(
    () => handle.describe().then(() => true, unlessNotFound),
    (isThere) => isThere,
  );
  await client.call('cancelSubagent', { id });
  // A cancelled workflow ends as a failure: that is what was asked for.
  await handle.result().catch(() => {});
}

/** No figure takes as long as this: what has not come by then never will. */
const GIVE_UP_MS = 120_000;

export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  everyMs = 5,
): Promise<T> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > deadline) {
      throw new Error(`not in time: ${JSON.stringify(answer).slice(0, 1000)}`);
    }
    await sleep(everyMs);
  }
}

/**
 * Until the engine has heard all that it was to be told: a session's start has its own workflow to begin, which
 * nobody waits for and which must not be counted to whoever comes next.
 */
export async function withHearing<T>(
  { home }: Pick<Stack, 'home'>,
  use: (untilHeard: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const db = new BetterSqlite3(homePaths(home).database, { readonly: true });
  const open = db.prepare('SELECT count(*) FROM outbox').pluck();
  try {
    return await use(async () => {
      await until(
        async () => Number(open.get()),
        (count) => count === 0,
      );
    });
  } finally {
    db.close();
  }
}
