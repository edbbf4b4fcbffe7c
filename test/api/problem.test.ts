import { expect, test } from '@jest/globals';
import { problemStatus } from '../../api/problem.ts';
import { AppError, requestErrorCodes } from '../../contract/errors.ts';
import { problemSchema } from '../../contract/system-records.ts';
import { fakeApi } from './api-fixture.ts';

test.each(requestErrorCodes)(
  '%s comes as a problem with its code, hint and status',
  async (code) => {
    const api = fakeApi({
      run: () => {
        throw new AppError(code, 'what is wrong', { hint: 'what to do' });
      },
    });
    const response = await api.ask('GET', '/api/subagents/sub_1');
    const problem = problemSchema.parse(await response.json());
    expect(problem).toMatchObject({ code, detail: 'what is wrong', hint: 'what to do' });
    expect([problem.status, response.status]).toEqual([problemStatus[code], problemStatus[code]]);
    expect(response.headers.has('retry-after')).toBe([429, 503].includes(response.status));
    expect(response.headers.has('www-authenticate')).toBe(response.status === 401);
  },
);

test('what nobody foresaw is logged, and its insides are not shown', async () => {
  const api = fakeApi({
    run: () => {
      throw new TypeError('cannot read /home/someone/secret');
    },
  });
  const response = await api.ask('GET', '/api/subagents/sub_1');
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ code: 'internal' });
  expect(text).not.toContain('secret');
  expect(text).not.toContain('.ts');
  expect(api.logged).toMatchObject([
    { path: '/api/subagents/sub_1', error: expect.any(TypeError) },
  ]);
});

test('a refused request leaves nothing behind for the next', async () => {
  const api = fakeApi({
    run: (_name, _caller, input) => {
      if (input['parentSessionId'] === 'nobody') throw new AppError('unknown_parent', 'no nobody');
    },
  });
  const body = { runnerId: 'demo', prompt: 'x', parentSessionId: 'nobody' };
  expect((await api.ask('POST', '/api/subagents', { body })).status).toBe(404);
  const next = { runnerId: 'demo', prompt: 'x' };
  expect((await api.ask('POST', '/api/subagents', { body: next })).status).toBe(200);
});
