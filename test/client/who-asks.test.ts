import { expect, test } from '@jest/globals';
import { createClient } from '../../client/client.ts';
import { parentOf, whoAsks } from '../../client/who-asks.ts';
import { signToken } from '../../domain/token.ts';
import { answerJson, withFakeServer } from './fake-server.ts';

const child = signToken('s', { role: 'child', invocationId: 'sub_1', agentId: 'default' });
const admin = signToken('s', { role: 'admin' });
const session = { harness: 'claude-code', sessionKey: 'cc-1' };

test.each([
  ['a child token says it all', child, 'ses_1', session, { kind: 'token' }],
  ['AGENT_SESSION_ID', null, 'ses_1', session, { kind: 'session', sessionKey: 'ses_1' }],
  ['an admin token names nobody', admin, 'ses_1', null, { kind: 'session', sessionKey: 'ses_1' }],
  ["the host program's own", null, null, session, { kind: 'harness', ...session }],
  ['no token of ours', 'off_???.x', null, session, { kind: 'harness', ...session }],
  ['nothing at all', null, null, null, { kind: 'nobody' }],
])('who asks: %s', (_, token, parentSessionId, harnessSession, asker) => {
  expect(whoAsks({ token, parentSessionId, harnessSession })).toEqual(asker);
});

test('a session named with an MCP call beats the one of the process', () => {
  const environment = { token: null, parentSessionId: null, harnessSession: session };
  const codex = { harness: 'codex', sessionKey: 'cx-1' };
  expect(whoAsks(environment, codex)).toEqual({ kind: 'harness', ...codex });
});

test("a host program's session is registered before it is named as parent", async () => {
  const time = '2026-01-01T00:00:00.000Z';
  await withFakeServer(
    (_, response) =>
      answerJson(response, {
        sessionKey: 'cc-1',
        agentId: 'default',
        kind: 'external',
        harness: 'claude-code',
        project: '/p',
        title: null,
        parentSessionId: null,
        rootSessionId: 'cc-1',
        depth: 0,
        createdAt: time,
        updatedAt: time,
      }),
    async ({ url, seen }) => {
      const client = createClient({ url, token: admin });
      expect(await parentOf(client, { kind: 'harness', ...session }, '/p')).toBe('cc-1');
      // Another agent's it is not, and must not become: its hooks would not know whose it is.
      expect(await parentOf(client, { kind: 'harness', ...session }, '/p', 'b')).toBeNull();
      expect(await parentOf(client, { kind: 'harness', ...session }, '/p', 'default')).toBe('cc-1');
      expect(await parentOf(client, { kind: 'session', sessionKey: 'ses_1' }, '/p')).toBe('ses_1');
      expect(await parentOf(client, { kind: 'token' }, '/p')).toBeNull();
      const put = ['PUT', '/api/sessions/cc-1', { harness: 'claude-code', projectIfNone: '/p' }];
      expect(seen.map((one) => [one.method, one.url, one.body])).toEqual([put, put, put]);
    },
  );
});
