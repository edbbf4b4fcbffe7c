import { expect, test } from '@jest/globals';
import { fakeApi, tokens } from './api-fixture.ts';

test('metrics are for the administrator alone, as text that Prometheus reads', async () => {
  const api = fakeApi({ metrics: '# TYPE a gauge\na 1\n' });
  const answer = await api.ask('GET', '/metrics');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(await answer.text()).toBe('# TYPE a gauge\na 1\n');
  const status = async (token: string | null) =>
    (await api.ask('GET', '/metrics', { token })).status;
  expect([await status(null), await status(tokens.child), await status(tokens.host)]).toEqual([
    401, 403, 403,
  ]);
  expect((await api.ask('POST', '/metrics')).status).toBe(405);
});

test('metrics that are turned off are not there, and the answer says how to turn them on', async () => {
  const answer = await fakeApi().ask('GET', '/metrics');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ hint: expect.stringContaining('metrics.enabled') });
});

test.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'b7ad6b7169203331'],
  ['nonsense', undefined],
])('the header traceparent %j gives the span %j to the operation', async (traceparent, spanId) => {
  const api = fakeApi();
  const body = { runnerId: 'demo', prompt: 'go' };
  await api.ask('POST', '/api/subagents', { body, headers: { traceparent } });
  expect(api.asked[0]?.caller.trace?.spanId).toBe(spanId);
});
