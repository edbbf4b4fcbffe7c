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
