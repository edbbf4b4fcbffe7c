import { expect, test } from '@jest/globals';
import { fakeApi } from './api-fixture.ts';

test('null is as good as nothing; so the context of a record can be sent back', async () => {
  const api = fakeApi();
  const task = { runnerId: 'demo', prompt: 'x' };
  const body = {
    ...task,
    ...{ title: null, waitSeconds: null, executionMode: null, agent_id: null, detached: null },
    context: { workspacePath: '/w', specId: null, files: null, env: null },
    limits: { maxDepth: null },
  };
  const { status } = await api.ask('POST', '/api/subagents', { body });
  expect(status).toBe(200);
  await api.ask('POST', '/api/subagents', {
    body: { ...task, context: { workspacePath: '/w', files: null } },
  });
  expect(api.asked[0]?.input).toEqual(api.asked[1]?.input);
  const cancel = { body: { reason: null } };
  expect((await api.ask('POST', '/api/subagents/sub_1/cancel', cancel)).status).toBe(200);
  expect(api.asked[2]?.input).toEqual({ id: 'sub_1' });
});

test('what is nested too deep to be gone through is refused by its name, and a hook keeps nothing of it', async () => {
  const api = fakeApi();
  const hook = (levels: number) =>
    api.ask('POST', '/api/hooks/user-prompt-submit', {
      body: `{"harness":"x","sessionKey":"deep","note":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    });
  expect((await hook(100)).status).toBe(200);
  for (const levels of [101, 5000]) {
    const response = await hook(levels);
    const problem = (await response.json()) as Record<string, unknown>;
    expect([response.status, problem['code'], problem['detail']]).toEqual([
      400,
      'bad_request',
      'note: is nested deeper than 100',
    ]);
  }
  expect(api.asked).toHaveLength(1);
});

test.each([
  ['abc', 'must be a number'],
  ['1e999', 'must be a number, not Infinity'],
  ['1.5', 'must be a whole number, not 1.5'],
  ['0', 'must be 1 or more'],
])('a limit of %s in a query is refused without a null that nobody gave', async (given, why) => {
  const response = await fakeApi().ask('GET', `/api/subagents?limit=${given}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'bad_request', detail: `limit: ${why}` });
});
