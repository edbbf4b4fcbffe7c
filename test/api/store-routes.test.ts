import { expect, test } from '@jest/globals';
import { storeApiPaths } from '../../contract/store-api.ts';
import { fakeApi, tokens } from './api-fixture.ts';

const key = { hostId: 'local', bootId: 'boot-1' };
const requests = {
  hello: { ...key, slots: 4, hostname: 'box', pid: 1 },
  sync: { ...key, runs: [{ invocationId: 'sub_1', runNo: 1 }], draining: false, waitSeconds: 5 },
  claim: { ...key, invocationId: 'sub_1' },
  report: {
    ...key,
    invocationId: 'sub_1',
    runNo: 1,
    reports: [{ type: 'lost', n: 1, why: 'shutting down', wasStarted: true }],
  },
} as const;

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  '%s reaches its handler with its parsed request',
  async (name) => {
    const api = fakeApi();
    const options = { token: tokens.host, body: requests[name] };
    const response = await api.ask('POST', storeApiPaths[name], options);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ of: name });
    expect(api.asked).toMatchObject([{ name, input: requests[name] }]);
    expect((await api.ask('GET', storeApiPaths[name], { token: tokens.host })).status).toBe(405);
  },
);

test('a request that does not fit is refused by field', async () => {
  const api = fakeApi();
  const body = { ...requests.report, reports: [] };
  const response = await api.ask('POST', storeApiPaths.report, { token: tokens.host, body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('reports') });
});
