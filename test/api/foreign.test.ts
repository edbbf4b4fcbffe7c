/** Nobody finds anything of anybody else's: every operation there is, over HTTP, by those who may at one place. */
import { expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';
import { readPolicies } from '../../contract/words.ts';
import { requestOf } from './api-fixture.ts';
import {
  foundIn,
  inOrder,
  inputs,
  isRead,
  readersOf,
  roundabout,
  setPolicies,
  settle,
  streamsOf,
  type Ask,
  type Place,
} from './foreign-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';
import { callTool } from './real-mcp.ts';

test('every operation that there is is tried', () => {
  expect(Object.keys(inputs).toSorted()).toEqual(Object.keys(operations).toSorted());
});

test.each(readPolicies)(
  'nothing of another agent, project or tree is found by any operation, over any surface: %s',
  (readPolicy) =>
    withRealApi(async (api) => {
      const places = await settle(api);
      await setPolicies(api, [readPolicy, readPolicy]);
      const before = await whatBobHas(api, places);
      const leaks: string[] = [];
      // What is only read is tried by everybody under each policy: foreign-pairs.test.ts.
      const own = places.find(({ key }) => key === 'alice-one-codex')!;
      const readers = readersOf(api, places, own).slice(0, readPolicy === 'shared' ? 3 : 1);
      for (const reader of readers) {
        for (const of of reader.foreign) {
          const look = (what: string, text: string, asked: unknown) => {
            const found = foundIn(text, reader.words, asked);
            if (found.length > 0) leaks.push(`${reader.name}, ${what} of ${of.key}: ${found}`);
          };
          const asked = inOrder.map((name) => [name, inputs[name]] as const);
          for (const [name, input] of [...asked, ...roundabout]) {
            if (readPolicy !== 'shared' && isRead(name)) continue;
            const variants = name.startsWith('hook') ? [{ project: reader.own.project }] : [];
            for (const more of [{}, { agentId: of.agentId }, ...variants]) {
              const { method, path, body } = requestOf(name, { ...(input as Ask)(of), ...more });
              const headers = { 'x-agent-session-id': of.key };
              const told = await api.http(reader.token, method, path, { body, headers });
              look(`${name} ${Object.keys(more)}`, told.text, [path, body]);
            }
          }
          for (const path of streamsOf(of))
            look(path, (await api.http(reader.token, 'GET', path)).text, path);
          for (const sessionKey of [undefined, of.key, of.childKey])
            look('session_search', await mcpSearch(api, reader.token, of.key, sessionKey), of.key);
        }
      }
      expect(leaks).toEqual([]);
      // Nor was anything of bob's ended, changed or added to.
      expect(await whatBobHas(api, places)).toEqual(before);
    }),
  60_000,
);

test('the same requests do find what is the own', () =>
  withRealApi(async (api) => {
    const places = await settle(api);
    const own = places.find(({ key }) => key === 'alice-one-codex')!;
    const [operator] = readersOf(api, places, own);
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
      'getSpecHistory',
      'getSubagent',
      'getTranscript',
      'getTree',
      'listEntities',
      'listSessions',
      'listSubagents',
      'searchSessions',
      'waitSubagents',
    ]);
    const { key } = operator!.own;
    for (const path of streamsOf(operator!.own)) {
      const { text } = await api.http(operator!.token, 'GET', path);
      expect(text).toContain('Zqaliceonecodex');
    }
    expect(await mcpSearch(api, operator!.token, key, key)).toContain('Zqaliceonecodex');
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
    agent: await api.ask('getAgent', { id: agentId }),
    entities: await api.ask('listEntities', { agentId }),
    sessions: await api.ask('listSessions', { agentId, limit: 500 }),
    subagents: await api.ask('listSubagents', { agentId, limit: 500 }),
    turns: await Promise.all(bobs.map(({ key }) => api.ask('exportSession', { key, agentId }))),
    mail: await Promise.all(
      bobs.map(({ key }) => api.ask('getCallbacks', { key, agentId, status: 'all' })),
    ),
  };
}
