/** What each role's token opens, over HTTP, for every operation there is. */
import { expect, test } from '@jest/globals';
import { operations, type OperationName } from '../../contract/operations.ts';
import type { Permission, ScopedRole } from '../../contract/words.ts';
import { requestOf, sampleInput } from './api-fixture.ts';
import { withRealApi, type Api } from './real-api.ts';

const reading = new Set<string>([
  ...['getSubagent', 'listSubagents', 'waitSubagents', 'getTranscript', 'getSpecHistory'],
  ...['searchSessions', 'getTree', 'getSessionTranscript', 'exportSession', 'getCallbacks'],
  ...['getContext', 'getEntity', 'listEntities', 'listSessions', 'getSession', 'getPresence'],
  ...['getAgent', 'listRunners', 'getHealth'],
]);
const deleting = new Set<string>(['deleteSubagent', 'deleteSession', 'deleteEntity']);
const administrators = new Set<string>([
  ...['importSession', 'takeBackup', 'checkStore', 'issueHostToken', 'revokeHostToken'],
  ...['putAgent', 'createToken'],
]);

interface Holder {
  role: ScopedRole;
  permissions: Permission[];
}
const holders: Holder[] = [
  { role: 'readonly', permissions: ['recall'] },
  { role: 'agent', permissions: ['remember', 'recall'] },
  { role: 'agent', permissions: ['recall'] },
  { role: 'agent', permissions: ['remember'] },
  { role: 'operator', permissions: ['remember', 'recall'] },
  { role: 'operator', permissions: ['recall'] },
];

function isOpen(name: string, { role, permissions }: Holder): boolean {
  if (administrators.has(name)) return false;
  if (reading.has(name)) return permissions.includes('recall');
  if (deleting.has(name) && role !== 'operator') return false;
  return permissions.includes('remember');
}

const tokenOf = (api: Api, holder: Holder, more: object = {}) =>
  api.token({
    ...holder,
    agentId: 'alice',
    project: null,
    expiresAt: '2999-01-01T00:00:00.000Z',
    ...more,
  });

test.each(holders)(
  'a token of role $role with $permissions opens what it says, and writes nothing else [signet 62]',
  (holder) =>
    withRealApi(async (api) => {
      const token = tokenOf(api, holder);
      const wrong: string[] = [];
      for (const name of Object.keys(operations) as OperationName[]) {
        const { method, path, body } = requestOf(name, sampleInput[name]);
        const { status, text } = await api.http(token, method, path, { body });
        const isRefused = status === 403;
        if (isRefused === isOpen(name, holder)) wrong.push(`${name}: ${status} ${text}`);
        if (isRefused && !text.includes('"code":"forbidden"')) wrong.push(`${name}: ${text}`);
      }
      expect(wrong).toEqual([]);
    }),
);

test('a token holds until its end and no longer, on every route but the documents', () =>
  withRealApi(async (api) => {
    const holder = holders[1]!;
    const ended = tokenOf(api, holder, { expiresAt: new Date(Date.now() - 1000).toISOString() });
    const holds = tokenOf(api, holder, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    expect((await api.http(holds, 'GET', '/api/sessions')).status).toBe(200);
    for (const path of ['/api/sessions', '/api/health', '/api/sessions/x/events']) {
      const { status, text } = await api.http(ended, 'GET', path);
      expect([path, status]).toEqual([path, 401]);
      expect(text).toContain('offshoot token create');
    }
    expect((await api.http(ended, 'GET', '/api/openapi.json')).status).toBe(200);
  }));

test('a token that was made opens its agent, and one that was altered opens nothing', () =>
  withRealApi(async (api) => {
    const admin = api.token({ role: 'admin' });
    const asked = { role: 'agent', agentId: 'alice', ttlSeconds: 60 };
    const { text } = await api.http(admin, 'POST', '/api/tokens', { body: asked });
    const made = JSON.parse(text) as { token: string; expiresAt: string };
    expect(Date.parse(made.expiresAt) - Date.parse(api.store.now())).toBeLessThanOrEqual(60_000);
    const [body = '', signature = ''] = made.token.slice('off_'.length).split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const other = Buffer.from(JSON.stringify({ ...claims, agentId: 'bob' })).toString('base64url');
    const altered = await api.http(`off_${other}.${signature}`, 'GET', '/api/sessions');
    expect(altered.status).toBe(401);
  }));
