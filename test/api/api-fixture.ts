/** The app in process, over handlers that write down what they were asked. */
import type { ApiDeps, WatchItem } from '../../api/deps.ts';
import { createApp } from '../../api/app.ts';
import { operations, type OperationName } from '../../contract/operations.ts';
import type { SubAgentRecord } from '../../contract/records.ts';
import { signToken, type TokenClaims } from '../../domain/token.ts';
import type { Caller } from '../../operations/caller.ts';

export const secret = 'secret-of-the-tests';
export const tokens = {
  admin: signToken(secret, { role: 'admin' }),
  child: signToken(secret, { role: 'child', invocationId: 'sub_parent', agentId: 'default' }),
  host: signToken(secret, { role: 'host', hostId: 'local' }),
} as const;

export function record(more: Partial<SubAgentRecord> = {}): SubAgentRecord {
  return {
    id: 'sub_1',
    runnerId: 'demo',
    status: 'completed',
    createdAt: '2026-10-01T10:00:00.000Z',
    startedAt: '2026-10-01T10:00:01.000Z',
    completedAt: '2026-10-01T10:00:04.500Z',
    context: { workspacePath: '/work', specId: null, prompt: 'say hello', files: null },
    result: { content: 'hello', tokenUsage: { input: 12, output: 3 }, durationMs: 3500 },
    error: null,
    errorCode: null,
    errorHint: null,
    pendingReason: null,
    title: null,
    agentId: 'default',
    sessionKey: 'sub-session-1',
    executionMode: 'SYNC',
    parentSessionId: null,
    rootSessionId: 'sub-session-1',
    depth: 0,
    detached: false,
    workflowId: 'subagent/sub_1',
    temporalUrl: null,
    ...more,
  };
}

export interface Asked {
  name: string;
  caller: Caller;
  input: Record<string, unknown>;
}

export function fakeApi(
  answers: {
    run?: (name: OperationName, caller: Caller, input: Record<string, unknown>) => unknown;
    watch?: (caller: Caller, request: { id: string; after: number }) => AsyncIterable<WatchItem>;
    watchSession?: ApiDeps['watchSession'];
    allowedHosts?: string[];
    metrics?: string;
  } = {},
) {
  const asked: Asked[] = [];
  const logged: unknown[] = [];
  const write = (name: string, caller: Caller, input: unknown) =>
    asked.push({ name, caller, input: input as Record<string, unknown> });
  const host = (name: string) => async (caller: Caller, request: object) => {
    write(name, caller, request);
    return { of: name } as never;
  };
  const deps: ApiDeps = {
    run: async (name, caller, input) => {
      write(name, caller, input);
      return ((await answers.run?.(name, caller, input as never)) ?? record()) as never;
    },
    watch: answers.watch ?? async function* () {},
    watchSession: answers.watchSession ?? async function* () {},
    host: {
      hello: host('hello'),
      sync: host('sync'),
      claim: host('claim'),
      report: host('report'),
    },
    isHostWelcome: (claims) => claims.role !== 'host' || claims.hostId !== 'revoked',
    secret,
    allowedHosts: () => answers.allowedHosts ?? [],
    version: '1.2.3',
    metrics: () => answers.metrics ?? null,
    log: { error: (message, details) => logged.push({ message, ...details }) },
  };
  const app = createApp(deps);
  return {
    app,
    asked,
    logged,
    ask: (method: string, path: string, options: AskOptions = {}) =>
      app.request(path, {
        method,
        headers: {
          ...(options.token !== null && {
            authorization: `Bearer ${options.token ?? tokens.admin}`,
          }),
          ...options.headers,
        },
        ...(options.body !== undefined && {
          body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
        }),
      }),
  };
}

export interface AskOptions {
  token?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

export function tokenOf(claims: TokenClaims): string {
  return signToken(secret, claims);
}

/** A valid input for each operation, so that loops over all of them need no exceptions. */
export const sampleInput: { [N in OperationName]: Record<string, unknown> } = {
  runSubagent: { runnerId: 'demo', prompt: 'go' },
  getSubagent: { id: 'sub_1' },
  listSubagents: { status: 'running', limit: '10' },
  waitSubagents: { ids: ['sub_1'] },
  cancelSubagent: { id: 'sub_1', reason: 'enough' },
  sendToSubagent: { id: 'sub_1', prompt: 'more' },
  deleteSubagent: { id: 'sub_1' },
  takeBackup: { to: '/backups/one.db' },
  checkStore: {},
  getTranscript: { id: 'sub_1', after: '3' },
  registerSession: { key: 'my-session', harness: 'codex' },
  deleteSession: { key: 'my-session' },
  searchSessions: { query: 'trunk ports', sessionKey: 'my-session', limit: 5 },
  getTree: { key: 'my-session' },
  getSessionTranscript: { key: 'my-session', after: '3' },
  exportSession: { key: 'my-session' },
  importSession: { jsonl: '{}' },
  getCallbacks: { key: 'my-session', status: 'all' },
  ackCallbacks: { key: 'my-session', ids: ['cb_1'] },
  listSessions: { project: '/repo', limit: '5' },
  getSession: { key: 'my-session' },
  bypassSession: { key: 'my-session', enabled: true },
  renewSession: { key: 'my-session' },
  getPresence: {},
  getAgent: { id: 'alice' },
  createToken: { role: 'agent', agentId: 'alice' },
  putAgent: { id: 'alice', readPolicy: 'shared' },
  getContext: { key: 'my-session' },
  writeCheckpoint: { key: 'my-session', summary: 'so far' },
  putEntity: { entity: 'Release', aliases: ['the release'] },
  getEntity: { entity: 'Release' },
  listEntities: { limit: '5' },
  deleteEntity: { entity: 'Release' },
  getSpecHistory: { specId: 'spec-7' },
  hookSessionStart: { harness: 'codex', sessionKey: 'my-session' },
  hookUserPromptSubmit: { harness: 'codex', sessionKey: 'my-session', userMessage: 'hi' },
  hookSessionEnd: { harness: 'codex', sessionKey: 'my-session' },
  hookPreCompaction: { harness: 'codex', sessionKey: 'my-session' },
  hookCompactionComplete: { harness: 'codex', sessionKey: 'my-session', summary: 'short' },
  hookSessionCheckpointExtract: { harness: 'codex', sessionKey: 'my-session' },
  hookSubagentStart: { harness: 'codex', sessionKey: 'my-session', harnessAgentId: 'a1' },
  hookSubagentStop: { harness: 'codex', sessionKey: 'my-session', harnessAgentId: 'a1' },
  hookStop: { harness: 'codex', sessionKey: 'my-session' },
  listRunners: {},
  getHealth: {},
  issueHostToken: { hostId: 'box' },
  revokeHostToken: { hostId: 'box' },
};

/** The request that a client makes of an input: path filled, rest as query or body. */
export function requestOf(name: OperationName, input: Record<string, unknown>) {
  const { method, path } = operations[name];
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field]);
    delete rest[field];
    return encodeURIComponent(value);
  });
  const hasBody = method === 'POST' || method === 'PUT';
  const query = new URLSearchParams(rest as Record<string, string>).toString();
  return hasBody
    ? { method, path: filled, body: rest }
    : { method, path: query === '' ? filled : `${filled}?${query}` };
}
