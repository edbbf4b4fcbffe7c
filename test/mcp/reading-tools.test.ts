/** Tools that only read register nothing: a token that may read is enough, wherever the host was started. */
import { expect, test } from '@jest/globals';
import { AppError } from '../../contract/errors.ts';
import { withRealApi, type Api } from '../api/real-api.ts';
import { callTool } from '../api/real-mcp.ts';
import { nobody, withMcp } from './mcp-fixture.ts';

const harnessSession = { harness: 'claude-code', sessionKey: 'a-claude-session' };
const environment = { ...nobody, harnessSession };

test.each([
  ['session_search', { query: 'x' }, 'searchSessions', 'currentSessionKey'],
  ['list_subagents', {}, 'listSubagents', 'parentSessionId'],
  ['get_callbacks', {}, 'getCallbacks', 'key'],
])('%s names the session of its host, and registers it not', (tool, given, operation, field) => {
  const found = { query: 'x', hits: [], count: 0 };
  const empty = { ...found, items: [], nextCursor: null, callbacks: [], remaining: 0 };
  return withMcp({ environment, answer: () => empty }, async ({ call, asked }) => {
    expect((await call(tool, given)).isError).toBeFalsy();
    expect(asked().map(({ name, input }) => [name, input[field]])).toEqual([
      [operation, harnessSession.sessionKey],
    ]);
  });
});

test('a session that nobody has reported yet has no callbacks; one that is named has to be there', () => {
  const answer = () => {
    throw new AppError('not_found', 'there is no session');
  };
  return withMcp({ environment, answer }, async ({ call }) => {
    expect((await call('get_callbacks', {})).text).toContain('No callbacks.');
    for (const given of [{ sessionKey: 'named' }, { ack: ['cb_1'] }]) {
      expect((await call('get_callbacks', given)).isError).toBe(true);
    }
  });
});

const tokenOf = (api: Api, more: object) =>
  api.token({
    ...{ role: 'agent', agentId: 'alice', project: null, permissions: ['recall'] },
    ...{ expiresAt: '2999-01-01T00:00:00.000Z', ...more },
  });

test.each([
  ['a readonly token', { role: 'readonly' }],
  ['a token that may read alone', {}],
  ['a token for another project', { project: '/w/ro', permissions: ['remember', 'recall'] }],
])('%s searches, lists and looks for mail inside of an agent program', (_, claims) =>
  withRealApi(async (api) => {
    const said = { sessionKey: 's1', agentId: 'alice', project: '/w/ro', userMessage: 'platypus' };
    await api.ask('hookUserPromptSubmit', { harness: 'codex', ...said });
    const asker = { token: tokenOf(api, claims), parentSessionId: null, harnessSession };
    const call = (name: string, given = {}) => callTool(api, asker, name, given);
    expect(await call('session_search', { query: 'platypus' })).toContain('1 found');
    expect(await call('list_subagents')).toContain('None.');
    expect(await call('get_callbacks')).toContain('No callbacks.');
    expect(api.count('sessions')).toBe(1);
  }),
);
