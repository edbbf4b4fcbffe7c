/** Operations on a real store in a home of its own, with a host that needs no processes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDatabase, createBackups } from '../../backup/index.ts';
import { createSecretsBox } from '../../api/secrets-box.ts';
import { configSchema, type Config } from '../../contract/config.ts';
import { homePaths } from '../../contract/home.ts';
import {
  operations,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '../../contract/operations.ts';
import type { Callback, SubAgentRecord, Turn } from '../../contract/records.ts';
import type { CommandRunner } from '../../contract/run.ts';
import {
  createOneAtATime,
  handlers,
  SharedReads,
  type Caller,
  type Deps,
} from '../../operations/index.ts';
import type { SearchHit, SearchRequest } from '../../contract/search.ts';
import { createSearcher } from '../../search/searcher.ts';
import { openStore, type Store } from '../../store/index.ts';
import { findInvocation, type InvocationRow } from '../../store/invocations.ts';
import { wordsOf, type Words } from '../../store/words.ts';
import { placeEmptyStore } from '../store/empty-store.ts';
import { createClock, type TestClock } from '../store/store-fixture.ts';
import { createHost, type TestHost } from './test-host.ts';

type Ask = <N extends OperationName>(
  name: N,
  input: OperationInput<N>,
  caller?: Caller,
) => Promise<OperationOutput<N>>;

export interface Room {
  deps: Deps;
  store: Store;
  home: string;
  workspace: string;
  clock: TestClock;
  host: TestHost;
  admin: Caller;
  /** Who an agent is that holds the token of this invocation. */
  child(id: string): Caller;
  /** The same agent with another token, whose session the header names. */
  headed(id: string): Caller;
  ask: Ask;
  /** Accepts without waiting for the end, whatever the mode. */
  start(input?: Partial<OperationInput<'runSubagent'>>, caller?: Caller): Promise<SubAgentRecord>;
  /** What this one asks for, as soon as it is accepted; the first, or the one after so many. */
  childOf(id: string, after?: number): Promise<string>;
  row(id: string): InvocationRow;
  words(id: string): Words;
  get(id: string): Promise<SubAgentRecord>;
  turns(id: string): Promise<Turn[]>;
  callbacks(sessionKey: string): Promise<Callback[]>;
  count(table: string): number;
}

export interface RoomOptions {
  slots?: number;
  /** Without it, no host has ever spoken. */
  isHostUp?: boolean;
  limits?: Partial<Config['limits']>;
  subagents?: Partial<Config['memory']['pipelineV2']['subagents']>;
  /** Else time stands still between two looks at it. */
  clock?: TestClock;
}

const runner = (id: string, more: Partial<CommandRunner> = {}): CommandRunner => ({
  id,
  kind: 'command',
  command: 'true',
  args: [],
  env: {},
  promptVia: 'stdin',
  result: 'text',
  resultPath: null,
  turns: true,
  onLost: 'fail',
  timeoutSeconds: 60,
  ...more,
});

const runners = [
  runner('talk'),
  runner('once', { turns: false }),
  runner('again', { onLost: 'rerun' }),
  runner('narrow', { promptVia: 'arg' }),
];

export async function withOperations<T>(
  use: (room: Room) => Promise<T>,
  options: RoomOptions = {},
): Promise<T> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-operations-')));
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  const clock = options.clock ?? createClock();
  const file = join(home, 'main.db');
  await placeEmptyStore(file);
  const store = openStore(file, { clock: clock.now, checkpoints: false });
  try {
    const room = createRoom(store, home, workspace, clock, options);
    if (options.isHostUp !== false) await room.host.hello(options.slots);
    return await use(room);
  } finally {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function createRoom(
  store: Store,
  home: string,
  workspace: string,
  clock: TestClock,
  options: RoomOptions,
): Room {
  const config = configSchema.parse({
    limits: options.limits ?? {},
    memory: { pipelineV2: { subagents: options.subagents ?? {} } },
  });
  const deps = createDeps(store, home, config);
  const admin = callerAs({ claims: { role: 'admin' } });
  const ask: Ask = (name, input, caller = admin) =>
    handlers[name](deps, caller, operations[name].input.parse(input) as never) as never;
  return {
    deps,
    store,
    home,
    workspace,
    clock,
    host: createHost(deps),
    admin,
    ask,
    child: (invocationId) =>
      callerAs({ claims: { role: 'child', invocationId, agentId: 'default' } }),
    headed: (id) =>
      callerAs({
        claims: { role: 'admin' },
        parentSessionId: findInvocation(store.db, id)!.session_key,
      }),
    start: (input, caller = admin) =>
      ask(
        'runSubagent',
        {
          runnerId: 'talk',
          prompt: 'do it',
          executionMode: 'ASYNC_POLL',
          waitSeconds: 0,
          ...input,
        },
        caller,
      ),
    async childOf(id, after = 0) {
      for (;;) {
        const child = store.db.get<{ id: string }>(
          `SELECT id FROM subagent_sessions WHERE owner_invocation_id = :id
           ORDER BY ordinal LIMIT 1 OFFSET +:after`,
          { id, after },
        );
        if (child) return child.id;
        await sleep(2);
      }
    },
    row: (id) => findInvocation(store.db, id)!,
    words: (id) => wordsOf(store.db, id)!,
    get: (id) => ask('getSubagent', { id }),
    turns: async (id) => (await ask('getTranscript', { id, limit: 500 })).turns,
    callbacks: async (key) => (await ask('getCallbacks', { key, status: 'all' })).callbacks,
    count: (table) => store.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n,
  };
}

export function createDeps(store: Store, home: string, config: Config): Deps {
  const paths = homePaths(home);
  let made = 0;
  return {
    store,
    config: () => config,
    lastGoodConfig: () => config,
    paths,
    secret: 'a secret of this test',
    url: () => 'http://127.0.0.1:1',
    runners: {
      find: (id) => runners.find((known) => known.id === id) ?? null,
      list: () =>
        runners.map(({ id, kind, command, turns, onLost }) => ({
          id,
          kind,
          command,
          turns,
          onLost,
          available: true,
          reason: null,
        })),
    },
    secrets: createSecretsBox(paths.secrets),
    transcriptRoots: () => [{ folder: join(home, 'staging') }],
    backups: createBackups({
      paths,
      config: () => config.backup,
      now: () => new Date(store.now()),
      hold: store.holdCheckpoints,
    }),
    checkStore: () => checkDatabase(paths.database, store.now(), store.db),
    search: async (request) => inOneGo(join(home, 'main.db'), request),
    oneAtATime: createOneAtATime(),
    shared: new SharedReads(),
    measure: { accepted: () => {}, waiting: () => () => {} },
    recordSpan: null,
    randomId: () => `${(made += 1)}`.padStart(4, '0'),
    engine: () => ({
      connected: true,
      address: '127.0.0.1:2',
      namespace: 'default',
      uiUrl: 'http://127.0.0.1:3',
      serverVersion: '1',
      problem: null,
    }),
    version: '0',
    pid: process.pid,
    startedAt: store.now(),
  };
}

/** Without a thread: the index is made for the one question. */
function inOneGo(database: string, request: SearchRequest): SearchHit[] {
  const searcher = createSearcher({ database, index: `${database}.search` });
  try {
    while (searcher.step());
    return searcher.search(request);
  } finally {
    searcher.close();
  }
}

export function callerAs(caller: Partial<Caller> & Pick<Caller, 'claims'>): Caller {
  return {
    parentSessionId: null,
    idempotencyKey: null,
    runtimePath: null,
    isLateHook: false,
    trace: null,
    gone: new AbortController().signal,
    ...caller,
  };
}

/** The code with which a call was refused. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const code = (error as { code?: string }).code;
    return code ?? String(error);
  }
  return 'not refused';
}
