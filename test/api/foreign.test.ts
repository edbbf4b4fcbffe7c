/** Nobody finds anything of anybody else's: every operation there is, over HTTP, for every foreign pair. */
import { expect, test } from '@jest/globals';
import { operations, type OperationInput, type OperationName } from '../../contract/operations.ts';
import { readPolicies } from '../../contract/words.ts';
import { findSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { requestOf } from './api-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';
import { callTool } from './real-mcp.ts';

interface Place {
  agentId: string;
  harness: string;
  project: string;
  key: string;
  /** Stands in all that this session and its sub-agent say, and nowhere else. */
  word: string;
  /** The invocation that it asked for, and that one's session. */
  id: string;
  childKey: string;
}

const parts = [
  ['one', 'claude-code'],
  ['two', 'codex'],
  ['three', 'claude-code'],
] as const;

/** Two agents, two programs, three projects; each session has a sub-agent that is at work and one that has answered. */
async function settle(api: Api): Promise<Place[]> {
  const places: Place[] = [];
  await api.host.hello(20);
  for (const agentId of ['alice', 'bob']) {
    for (const [part, harness] of parts) {
      const [key, word] = [`${agentId}-${part}`, `Zq${agentId}${part}`];
      const project = `${api.workspace}/${part}`;
      const of = { key, agentId };
      await api.ask('registerSession', { ...of, harness, project, title: `About ${word}` });
      await api.store.write((tx) => {
        const sessionId = findSession(tx.db, agentId, key)!.id;
        for (const role of ['user', 'assistant'] as const)
          appendTurn(tx, { sessionId, role, text: `plover ${role} ${word} of Release` });
      });
      await api.ask('writeCheckpoint', { ...of, summary: `plover summary ${word}` });
      const ask = { parentSessionId: key, agentId, context: { workspacePath: api.workspace } };
      const prompt = `plover task ${word}`;
      const { id, sessionKey } = await api.start({ ...ask, prompt, title: `Does ${word}` });
      const run = await api.host.claim(id);
      await api.host.say(run, 1, `plover output ${word}\n`);
      const told = await api.start({ ...ask, prompt, executionMode: 'ASYNC_CALLBACK' });
      await api.host.play(told.id, `plover answer ${word}`);
      places.push({ agentId, harness, project, key, word, id, childKey: sessionKey });
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

type Inputs = { [N in OperationName]: (of: Place) => OperationInput<N> };

const hook = ({ key, harness }: Place) => ({ harness, sessionKey: key });
const fresh = (of: Place) => `new of ${of.key} ${(count += 1)}`;
let count = 0;

/** What is asked about a place. An operation that is new has to be added, or the first test below fails. */
const inputs: Inputs = {
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
  importSession: ({ key, agentId }) => ({
    jsonl: JSON.stringify({ offshoot: 'session', version: 1, sessionKey: key, agentId }),
  }),
  getCallbacks: ({ key }) => ({ key, status: 'all' }),
  ackCallbacks: ({ key }) => ({ key, ids: ['cb_x'] }),
  getSpecHistory: () => ({ specId: 'x' }),
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
const roundabout: [OperationName, (of: Place) => Record<string, unknown>][] = [
  ['searchSessions', () => ({ query: 'plover', limit: 20 })],
  ['searchSessions', ({ key }) => ({ query: 'plover', rootSessionKey: key })],
  ['searchSessions', ({ key }) => ({ query: 'plover', currentSessionKey: `${key}:subagent:x` })],
  ['searchSessions', ({ childKey }) => ({ query: 'plover', currentSessionKey: childKey })],
  ['searchSessions', ({ project }) => ({ query: 'plover', project })],
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

interface Reader {
  name: string;
  token: string;
  own: Place;
  foreign: Place[];
  words: string[];
}

function readersOf(api: Api, places: Place[]): Reader[] {
  const own = places.find(({ key }) => key === 'alice-one')!;
  const others = places.filter((one) => one !== own);
  const scoped = { role: 'operator', agentId: 'alice', expiresAt: '2999-01-01T00:00:00.000Z' };
  const claims = { ...scoped, permissions: ['remember', 'recall'] } as const;
  const bobs = places.filter(({ agentId }) => agentId === 'bob');
  const wordsOf = (some: Place[]) => some.map(({ word }) => word);
  const bobWords = [...wordsOf(bobs), 'Zqbobentity', 'Zqbobname'];
  return [
    {
      name: 'an operator of the agent',
      token: api.token({ ...claims, role: 'operator', project: null } as never),
      ...{ own, foreign: bobs, words: bobWords },
    },
    {
      name: 'an operator in one project',
      token: api.token({ ...claims, role: 'operator', project: own.project } as never),
      ...{ own, foreign: others, words: [...bobWords, ...wordsOf(others)] },
    },
    {
      name: 'a sub-agent',
      token: api.token({ role: 'child', invocationId: own.id, agentId: 'alice' }),
      ...{ own, foreign: others, words: [...bobWords, ...wordsOf(others)] },
    },
  ];
}

/** Reads come first: what is written must not be what is found. */
const isRead = (name: OperationName) =>
  operations[name].method === 'GET' || ['searchSessions', 'waitSubagents'].includes(name);
const inOrder = (Object.keys(operations) as OperationName[]).toSorted(
  (a, b) => Number(isRead(b)) - Number(isRead(a)),
);

test('every operation that there is is tried', () => {
  expect(Object.keys(inputs).toSorted()).toEqual(Object.keys(operations).toSorted());
});

test.each(readPolicies)(
  'nothing of another agent, project or tree is found by any operation, over any surface: %s',
  (readPolicy) =>
    withRealApi(async (api) => {
      const places = await settle(api);
      for (const id of ['alice', 'bob'])
        await api.ask('putAgent', { id, readPolicy, policyGroup: 'same' });
      const before = await whatBobHas(api, places);
      const leaks: string[] = [];
      // The policy says something about other agents only, so the other readers are tried under the widest.
      const readers = readersOf(api, places).slice(0, readPolicy === 'shared' ? 3 : 1);
      for (const reader of readers) {
        for (const of of reader.foreign) {
          const look = (what: string, text: string) => {
            const found = reader.words.filter((word) => text.includes(word));
            if (found.length > 0) leaks.push(`${reader.name}, ${what} of ${of.key}: ${found}`);
          };
          const asked = inOrder.map((name) => [name, inputs[name]] as const);
          for (const [name, input] of [...asked, ...roundabout]) {
            const variants = name.startsWith('hook') ? [{ project: reader.own.project }] : [];
            for (const more of [{}, { agentId: of.agentId }, ...variants]) {
              const { method, path, body } = requestOf(name, { ...(input as Ask)(of), ...more });
              const headers = { 'x-agent-session-id': of.key };
              const told = await api.http(reader.token, method, path, { body, headers });
              look(`${name} ${Object.keys(more)}`, told.text);
            }
          }
          for (const path of [
            `subagents/${of.id}`,
            `sessions/${of.key}`,
            `sessions/${of.childKey}`,
          ])
            look(path, (await api.http(reader.token, 'GET', `/api/${path}/events`)).text);
          for (const sessionKey of [undefined, of.key, of.childKey])
            look('session_search', await mcpSearch(api, reader.token, of.key, sessionKey));
        }
      }
      expect(leaks).toEqual([]);
      // Nor was anything of bob's ended, changed or added to.
      expect(await whatBobHas(api, places)).toEqual(before);
    }),
  60_000,
);

type Ask = (of: Place) => Record<string, unknown>;

test('the same requests do find what is the own', () =>
  withRealApi(async (api) => {
    const places = await settle(api);
    const [operator] = readersOf(api, places);
    const telling: string[] = [];
    for (const name of inOrder.filter(isRead)) {
      const { method, path, body } = requestOf(name, (inputs[name] as Ask)(operator!.own));
      const { text } = await api.http(operator!.token, method, path, { body });
      if (text.includes('Zqalice')) telling.push(name);
    }
    // A read operation that is new and tells something stands here, and is tried above.
    expect(telling.toSorted()).toEqual([
      'exportSession',
      'getAgent',
      'getCallbacks',
      'getContext',
      'getEntity',
      'getSession',
      'getSessionTranscript',
      'getSubagent',
      'getTranscript',
      'getTree',
      'listEntities',
      'listSessions',
      'listSubagents',
      'searchSessions',
      'waitSubagents',
    ]);
    const { id, key } = operator!.own;
    for (const path of [`subagents/${id}`, `sessions/${key}`]) {
      const { text } = await api.http(operator!.token, 'GET', `/api/${path}/events`);
      expect(text).toContain('Zqaliceone');
    }
    expect(await mcpSearch(api, operator!.token, key, key)).toContain('Zqaliceone');
  }));

const mcpSearch = (api: Api, token: string, parentSessionId: string, sessionKey?: string) =>
  callTool(api, { token, parentSessionId }, 'session_search', {
    query: 'plover',
    ...(sessionKey !== undefined && { sessionKey }),
  });

/** What was said, what came of it, and what is known. */
async function whatBobHas(api: Api, places: Place[]): Promise<unknown> {
  const agentId = 'bob';
  const bobs = places.filter((place) => place.agentId === agentId);
  return {
    entities: await api.ask('listEntities', { agentId }),
    sessions: await api.ask('listSessions', { agentId, limit: 500 }),
    subagents: await api.ask('listSubagents', { agentId, limit: 500 }),
    turns: await Promise.all(bobs.map(({ key }) => api.ask('exportSession', { key, agentId }))),
    mail: await Promise.all(
      bobs.map(({ key }) => api.ask('getCallbacks', { key, agentId, status: 'all' })),
    ),
  };
}
