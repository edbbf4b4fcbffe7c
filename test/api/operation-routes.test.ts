/** Routes over the real operations: what is asked of a session that is not there, or in words that are none. */
import { expect, test } from '@jest/globals';
import { operations, type OperationName } from '../../contract/operations.ts';
import type { TokenClaims } from '../../domain/token.ts';
import { requestOf, sampleInput } from './api-fixture.ts';
import { withRealApi } from './real-api.ts';

const ofSession = (Object.keys(operations) as OperationName[]).filter((name) =>
  operations[name].path.startsWith('/api/sessions/{key}/'),
);

test('a session that is not there is not found, whatever its body is; of one that is there a wrong one is refused by name [signet 53]', () =>
  withRealApi(async (api) => {
    const token = api.token({ role: 'admin' });
    const asked = async (key: string, body?: unknown) => {
      const { status, text } = await api.http(token, 'POST', `/api/sessions/${key}/bypass`, {
        body,
      });
      const { detail } = JSON.parse(text) as { detail?: string };
      return [status, detail];
    };
    await api.ask('registerSession', { key: 's1' });
    for (const [body, words] of [
      [undefined, 'enabled: is missing: it must be `true` or `false`'],
      [{}, 'enabled: is missing: it must be `true` or `false`'],
      [{ enabled: 'yes' }, 'enabled: must be `true` or `false`, not "yes"'],
      [{ enabled: 1 }, 'enabled: must be `true` or `false`, not 1'],
      [['true'], 'The body must be a JSON object.'],
      [{ enabled: true, colour: 'red' }, expect.stringContaining('colour: is not a known key')],
    ] as const) {
      expect(await asked('s1', body)).toEqual([400, words]);
      expect(await asked('none', body)).toEqual([404, 'there is no session none']);
      expect(await asked('session:none', body)).toEqual([404, 'there is no session none']);
    }
    expect(await asked('s1', { enabled: true })).toEqual([200, undefined]);
    expect(await asked('none', { enabled: true })).toEqual([404, 'there is no session none']);
  }));

test('so it is with whatever is asked of a session, for a foreign token too; but a key that can be none is refused', () =>
  withRealApi(async (api) => {
    await api.ask('registerSession', { key: 'alices', agentId: 'alice' });
    const bob = {
      role: 'operator',
      agentId: 'bob',
      project: null,
      expiresAt: '2999-01-01T00:00:00Z',
    };
    const token = api.token({ ...bob, permissions: ['remember', 'recall'] } as TokenClaims);
    const ask = async (name: OperationName, key: string) => {
      const wrong = { ...sampleInput[name], key, colour: 'red' };
      const { method, path, body } = { body: undefined, ...requestOf(name, wrong) };
      return [name, (await api.http(token, method, path, { body })).status];
    };
    for (const name of ofSession) {
      expect(await ask(name, 'alices')).toEqual([name, 404]);
      expect(await ask(name, 'x'.repeat(500))).toEqual([name, 400]);
    }
    expect(ofSession).toContain('renewSession');
  }));
