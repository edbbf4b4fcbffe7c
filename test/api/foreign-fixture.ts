/** Agents, programs, projects and sub-agents that are none of each other's business, and all that can be asked about one. */
import { operations, type OperationInput, type OperationName } from '../../contract/operations.ts';
import type { readPolicies } from '../../contract/words.ts';
import { permissionFor } from '../../operations/scope.ts';
import type { Api } from './real-api.ts';

export interface Place {
  agentId: string;
  harness: string;
  project: string;
  key: string;
  /** Stands in all that this session and its sub-agent say, and nowhere else. */
  word: string;
  /** The invocation that it asked for, and that one's session. */
  id: string;
  childKey: string;
  /** What it was told of the other one that it asked for. */
  callbackId: string;
  /** The number that its next turn would have. */
  nextSeq: number;
}

export const agents = ['alice', 'bob'] as const;
export const harnesses = ['claude-code', 'codex'] as const;
export const parts = ['one', 'two', 'three'] as const;

/** Each program of each agent has a session in each project, with a sub-agent that is at work and one that has answered. */
export async function settle(api: Api): Promise<Place[]> {
  const places: Place[] = [];
  await api.host.hello(40);
  for (const agentId of agents) {
    for (const part of parts) {
      for (const harness of harnesses) places.push(await settleAt(api, agentId, part, harness));
    }
    const attributes = [{ kind: 'constraint' as const, content: `keep Zq${agentId}entity` }];
    await api.ask('putEntity', {
      entity: 'Release',
      agentId,
      aspects: [{ name: 'all', attributes }],
    });
    await api.ask('putAgent', { id: agentId, name: `I am Zq${agentId}name` });
  }
  return places;
}

async function settleAt(api: Api, agentId: string, part: string, harness: string): Promise<Place> {
  const [key, word] = [`${agentId}-${part}-${harness}`, `Zq${agentId}${part}${harness}`];
  const project = `${api.workspace}/${part}`;
  const of = { key, agentId };
  await api.ask('registerSession', { ...of, harness, project, title: `About ${word}` });
  const transcript = ['User', 'Assistant']
    .map((speaker) => `${speaker}: plover ${speaker} ${word} of Release\n`)
    .join('');
  const hooked = { harness, agentId, sessionKey: key, project };
  await api.ask('hookSessionCheckpointExtract', { ...hooked, transcript });
  await api.ask('writeCheckpoint', { ...of, summary: `plover summary ${word}` });
  const context = { workspacePath: api.workspace, specId: 'spec' };
  const ask = { parentSessionId: key, agentId, context };
  const prompt = `plover task ${word}`;
  const { id, sessionKey } = await api.start({ ...ask, prompt, title: `Does ${word}` });
  const run = await api.host.claim(id);
  await api.host.say(run, 1, `plover output ${word}\n`);
  const told = await api.start({ ...ask, prompt, executionMode: 'ASYNC_CALLBACK' });
  await api.host.play(told.id, `plover answer ${word}`);
  const { callbacks } = await api.ask('getCallbacks', { ...of, status: 'all' });
  const { jsonl } = await api.ask('exportSession', of);
  const last = JSON.parse(jsonl.trimEnd().split('\n').at(-1)!) as { seq: number };
  return {
    ...{ agentId, harness, project, key, word, id, childKey: sessionKey },
    ...{ callbackId: callbacks[0]!.id, nextSeq: last.seq + 1 },
  };
}

export type ReadPolicy = (typeof readPolicies)[number];

/** What each agent lets others read of it, which is nothing to tokens of others under any of them. */
export async function setPolicies(api: Api, policies: readonly ReadPolicy[]): Promise<void> {
  for (const [n, id] of agents.entries())
    await api.ask('putAgent', { id, readPolicy: policies[n]!, policyGroup: 'same' });
}

type Inputs = { [N in OperationName]: (of: Place) => OperationInput<N> };

const hook = ({ key, harness }: Place) => ({ harness, sessionKey: key });
const fresh = (of: Place) => `new of ${of.key} ${(count += 1)}`;
let count = 0;

/** A page of an export that would be taken as it is. */
function oneTurnMore({ key, agentId, nextSeq }: Place): string {
  const about = { offshoot: 'session', version: 1, sessionKey: key, agentId };
  const turn = { seq: nextSeq, role: 'user', text: 'x', at: '2026-01-01T00:00:00.000Z' };
  return [
    { ...about, harness: null, project: null, title: null, order: null },
    { ...turn, raw: null, tools: null, source: null, extra: null },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** What is asked about a place. An operation that is new has to be added, or the first test below fails. */
export const inputs: Inputs = {
  runSubagent: ({ key }) => ({
    ...{ runnerId: 'talk', prompt: 'x', executionMode: 'ASYNC_POLL', parentSessionId: key },
  }),
  getSubagent: ({ id }) => ({ id }),
  listSubagents: () => ({ limit: 500 }),
  waitSubagents: ({ id }) => ({ ids: [id], waitSeconds: 0 }),
  cancelSubagent: ({ id }) => ({ id }),
  sendToSubagent: ({ id }) => ({ id, prompt: 'x' }),
  deleteSubagent: ({ id }) => ({ id }),
  getTranscript: ({ id }) => ({ id }),
  registerSession: ({ key }) => ({ key }),
  deleteSession: ({ key }) => ({ key }),
  searchSessions: ({ key }) => ({ query: 'plover', sessionKey: key }),
  getTree: ({ key }) => ({ key }),
  getSessionTranscript: ({ key }) => ({ key }),
  exportSession: ({ key }) => ({ key }),
  importSession: (of) => ({ jsonl: oneTurnMore(of) }),
  getCallbacks: ({ key }) => ({ key, status: 'all' }),
  ackCallbacks: ({ key, callbackId }) => ({ key, ids: [callbackId] }),
  getSpecHistory: () => ({ specId: 'spec' }),
  hookSessionStart: (of) => hook(of),
  hookUserPromptSubmit: (of) => ({ ...hook(of), userMessage: 'x' }),
  hookSessionEnd: (of) => hook(of),
  hookPreCompaction: (of) => hook(of),
  hookCompactionComplete: (of) => ({ ...hook(of), summary: 'x' }),
  hookSessionCheckpointExtract: (of) => hook(of),
  hookSubagentStart: (of) => ({ ...hook(of), harnessAgentId: 'a1' }),
  hookSubagentStop: (of) => ({ ...hook(of), harnessAgentId: 'a1' }),
  hookStop: (of) => hook(of),
  listRunners: () => ({}),
  takeBackup: () => ({}),
  checkStore: () => ({}),
  getHealth: () => ({}),
  issueHostToken: () => ({ hostId: 'box' }),
  revokeHostToken: () => ({ hostId: 'box' }),
  getContext: ({ key }) => ({ key }),
  writeCheckpoint: ({ key }) => ({ key }),
  putEntity: () => ({ entity: 'Release', type: 'x' }),
  getEntity: () => ({ entity: 'Release' }),
  listEntities: () => ({}),
  deleteEntity: () => ({ entity: 'Release' }),
  listSessions: () => ({ limit: '500' }),
  getSession: ({ key }) => ({ key }),
  bypassSession: ({ key }) => ({ key, enabled: true }),
  renewSession: ({ key }) => ({ key }),
  getPresence: () => ({}),
  getAgent: ({ agentId }) => ({ id: agentId }),
  putAgent: ({ agentId }) => ({ id: agentId, name: 'x' }),
  createToken: ({ agentId }) => ({ role: 'agent', agentId }),
};
/** More ways to ask for another's words than by its name. */
export const roundabout: [OperationName, (of: Place) => Record<string, unknown>][] = [
  ['searchSessions', () => ({ query: 'plover', limit: 20 })],
  ['searchSessions', ({ key }) => ({ query: 'plover', rootSessionKey: key })],
  ['searchSessions', ({ key }) => ({ query: 'plover', currentSessionKey: `${key}:subagent:x` })],
  ['searchSessions', ({ childKey }) => ({ query: 'plover', currentSessionKey: childKey })],
  ['searchSessions', ({ project }) => ({ query: 'plover', project })],
  ['searchSessions', ({ childKey }) => ({ query: 'plover', sessionKey: childKey })],
  ['searchSessions', ({ key, project }) => ({ query: 'plover', project, rootSessionKey: key })],
  ['searchSessions', ({ key }) => ({ query: 'plover', sessionKey: key, currentSessionKey: 'x' })],
  ['searchSessions', () => ({ query: 'plover', groupBy: 'session', limit: 20 })],
  ['listSessions', ({ project }) => ({ project })],
  ['listSubagents', ({ key }) => ({ parentSessionId: key })],
  ['listSubagents', ({ key }) => ({ rootSessionId: key })],
  ['getSessionTranscript', ({ key }) => ({ key: `session:${key}`, format: 'turns' })],
  ['getSessionTranscript', ({ childKey }) => ({ key: childKey })],
  ['exportSession', ({ childKey }) => ({ key: childKey })],
  ['getContext', ({ childKey }) => ({ key: childKey })],
  ['hookSessionStart', (of) => ({ ...hook(of), sessionKey: fresh(of), parentSessionKey: of.key })],
  ['hookSessionStart', (of) => ({ ...hook(of), sessionKey: `${of.key}:subagent:${fresh(of)}` })],
  ['hookSessionStart', (of) => ({ ...hook(of), sessionKey: fresh(of) })],
  [
    'hookSubagentStart',
    (of) => ({ ...hook(of), harnessAgentId: 'a2', childSessionKey: fresh(of) }),
  ],
];

/** The same by tools. One that is new has to be added; null: it starts or ends something. */
export const toolReads: Record<string, ((of: Place) => Record<string, unknown>[]) | null> = {
  runSubagent: null,
  cancel_subagent: null,
  get_subagent: ({ id }) => [{ id }],
  wait_subagents: ({ id }) => [{ ids: [id], waitSeconds: 0 }],
  list_subagents: ({ key }) => [{ parentSessionId: key, limit: 100 }, { limit: 100 }],
  get_callbacks: ({ key }) => [{ sessionKey: key, status: 'all' }],
  session_search: ({ key, childKey }) => [
    { query: 'plover', sessionKey: key },
    { query: 'plover', sessionKey: childKey },
    { query: 'plover' },
  ],
};

/** Where the live events of a place are read. */
export const streamsOf = ({ id, key, childKey }: Place): string[] =>
  [`subagents/${id}`, `sessions/${key}`, `sessions/${childKey}`].map((of) => `/api/${of}/events`);

export interface Reader {
  name: string;
  token: string;
  own: Place;
  foreign: Place[];
  /** What they say, and what theirs are called by no choice of their own. */
  words: string[];
  /** What they call themselves. */
  keys: string[];
}

/** What was asked for by its name may be named in the refusal. */
export const foundIn = (text: string, words: readonly string[], asked: unknown): string[] =>
  words.filter((word) => text.includes(word) && !JSON.stringify(asked).includes(word));

/** Who has a token at this place, and what is none of its business. */
export function readersOf(api: Api, places: Place[], own: Place): Reader[] {
  const { agentId, project, id } = own;
  const not = (isNear: (one: Place) => boolean) => places.filter((one) => !isNear(one));
  const strangers = not((one) => one.agentId === agentId);
  const strange = strangers[0]!.agentId;
  const wordsOf = (some: Place[]) => some.flatMap((of) => [of.word, of.id, of.callbackId]);
  const keysOf = (some: Place[]) => some.flatMap(({ key, childKey }) => [key, childKey]);
  const strangeWords = [`Zq${strange}entity`, `Zq${strange}name`];
  const operator = (of: string | null) =>
    api.token({
      ...{ role: 'operator', agentId, project: of, permissions: ['remember', 'recall'] },
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
  const reader = (name: string, token: string, foreign: Place[]): Reader => ({
    ...{ name, token, own, foreign },
    words: [...strangeWords, ...wordsOf(foreign)],
    keys: keysOf(foreign),
  });
  const outside = not((one) => one.agentId === agentId && one.project === project);
  return [
    reader(`an operator of ${agentId}`, operator(null), strangers),
    reader(`an operator in the project of ${own.key}`, operator(project), outside),
    reader(
      `a sub-agent of ${own.key}`,
      api.token({ role: 'child', invocationId: id, agentId }),
      not((one) => one === own),
    ),
  ];
}

/** Reads come first: what is written must not be what is found. */
export const isRead = (name: OperationName) => permissionFor(name) === 'recall';
export const inOrder = (Object.keys(operations) as OperationName[]).toSorted(
  (a, b) => Number(isRead(b)) - Number(isRead(a)),
);

export type Ask = (of: Place) => Record<string, unknown>;
