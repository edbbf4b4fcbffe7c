import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../api/openapi.ts';
import { limits } from '../../contract/limits.ts';
import { operations, type OperationName } from '../../contract/operations.ts';
import { everyHook, hookNames } from '../operations/hooks/hooks-fixture.ts';
import { fakeApi, sampleInput } from './api-fixture.ts';
import { withRealApi } from './real-api.ts';

const hooks = (Object.keys(operations) as OperationName[]).filter(
  (name) => 'idle' in operations[name],
);

test.each(['x-offshoot-no-hooks', 'x-signet-no-hooks'])(
  '%s: nothing is asked of anybody, whatever the body is, and each answers its own shape [signet 8]',
  async (header) => {
    const api = fakeApi();
    for (const name of hooks) {
      const { path, output } = operations[name];
      const response = await api.ask('POST', path, { headers: { [header]: '1' }, body: '{"not' });
      expect(response.status).toBe(200);
      const answer = output.parse(await response.json());
      expect(answer).toMatchObject({ internal: true });
    }
    expect(hooks).toHaveLength(9);
    expect(api.asked).toEqual([]);
    const start = await api.ask('POST', '/api/hooks/session-start', { headers: { [header]: '1' } });
    expect(await start.json()).toEqual({ inject: '', memories: [], internal: true });
  },
);

test.each(hooks)('%s: what is no hook is refused by name [signet 1, 2]', async (name) => {
  const api = fakeApi();
  const { path } = operations[name];
  const detail = async (body: unknown) => {
    const response = await api.ask('POST', path, { body });
    return [response.status, ((await response.json()) as { detail: string }).detail];
  };
  const { harness: _, ...without } = sampleInput[name];
  expect(await detail(without)).toEqual([400, 'harness: is required']);
  expect((await detail('{"harness": '))[0]).toBe(400);
  expect((await detail('null'))[0]).toBe(400);
  expect(await detail({ ...sampleInput[name], sessionKey: 7 })).toEqual([
    400,
    expect.stringContaining('sessionKey: must be text'),
  ]);
  expect(await detail({ ...sampleInput[name], transcript: 7 })).toEqual([
    400,
    expect.stringContaining('transcript: must be text'),
  ]);
  expect(await detail({ ...sampleInput[name], runtimePath: 'other' })).toEqual([
    400,
    expect.stringContaining('runtimePath: must be one of'),
  ]);
  const isKeyRequired = name === 'hookSessionCheckpointExtract';
  const [status] = await detail({ ...sampleInput[name], sessionKey: undefined });
  expect([name, status]).toEqual([name, isKeyRequired ? 400 : 200]);
  if (!isKeyRequired) api.asked.pop();
  expect(api.asked).toEqual([]);
});

test.each(hooks)(
  '%s: says in its document and to its operation that it comes late',
  async (name) => {
    const api = fakeApi();
    const { path } = operations[name];
    for (const late of ['1', '', 'no']) {
      await api.ask('POST', path, {
        headers: { 'X-Offshoot-Late-Hook': late },
        body: sampleInput[name],
      });
    }
    expect(api.asked.map(({ caller }) => caller.isLateHook)).toEqual([true, false, false]);
    const document = openApiDocument('1');
    const { parameters } = document.paths[path]!['post']!;
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'X-Offshoot-Late-Hook' }));
  },
);

test.each([
  ['x-offshoot-runtime-path', 'plugin'],
  ['X-Signet-Runtime-Path', 'legacy'],
])('%s says which way a hook took', async (header, path) => {
  const api = fakeApi();
  const body = { harness: 'codex', sessionId: 'session:s1', userMessage: null, more: { of: 'it' } };
  await api.ask('POST', '/api/hooks/user-prompt-submit', { headers: { [header]: path }, body });
  expect(api.asked).toMatchObject([{ caller: { runtimePath: path } }]);
  expect(api.asked[0]!.input).toEqual({
    harness: 'codex',
    sessionKey: 's1',
    extra: { more: { of: 'it' } },
  });
  const wrong = await api.ask('POST', '/api/hooks/stop', {
    headers: { [header]: 'by-hand' },
    body: { harness: 'codex' },
  });
  expect(wrong.status).toBe(400);
});

test('a summary that says nothing is refused', async () => {
  const body = { ...sampleInput.hookCompactionComplete, summary: ' \n' };
  const response = await fakeApi().ask('POST', operations.hookCompactionComplete.path, { body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('summary: must') });
});

test('a transcript that is not read says why by its status [signet 57]', () =>
  withRealApi(async (api) => {
    const staging = join(api.home, 'staging');
    mkdirSync(join(staging, 'folder'), { recursive: true });
    writeFileSync(join(staging, 'huge'), '');
    truncateSync(join(staging, 'huge'), limits.transcriptBytesMax + 1);
    writeFileSync(join(staging, 'fine'), 'User: hi');
    const token = api.token({ role: 'admin' });
    const told = async (transcriptPath: string) => {
      const body = { harness: 'codex', sessionKey: 's1', transcriptPath };
      const { status, text } = await api.http(token, 'POST', '/api/hooks/session-end', { body });
      return [status, (JSON.parse(text) as { code?: string }).code];
    };
    expect(await told('/etc/passwd')).toEqual([403, 'transcript_refused']);
    expect(await told('relative')).toEqual([400, 'bad_request']);
    expect(await told(join(staging, 'folder'))).toEqual([400, 'transcript_not_a_file']);
    expect(await told(join(staging, 'missing'))).toEqual([404, 'not_found']);
    expect(await told(join(staging, 'huge'))).toEqual([413, 'transcript_too_large']);
    expect(await told(join(staging, 'fine'))).toEqual([200, undefined]);
  }));

test('a session that the other path holds is refused by every hook with one documented shape [signet 3, 13]', () =>
  withRealApi(async (api) => {
    const token = api.token({ role: 'admin' });
    const document = openApiDocument('1');
    await api.ask('hookSessionStart', { ...everyHook.hookSessionStart, runtimePath: 'plugin' });
    const shapes = new Set<string>();
    for (const name of hookNames) {
      const { path } = operations[name];
      const headers = { 'x-offshoot-runtime-path': 'legacy' };
      const { status, text } = await api.http(token, 'POST', path, {
        headers,
        body: everyHook[name],
      });
      expect([name, status]).toEqual([name, 409]);
      expect(text).toContain('session claimed by plugin path');
      shapes.add(Object.keys(JSON.parse(text) as object).join());
      const { responses, parameters } = document.paths[path]!['post']!;
      expect([name, JSON.stringify(responses['409'])]).toEqual([
        name,
        expect.stringContaining('#/components/schemas/Problem'),
      ]);
      expect(parameters).toContainEqual(
        expect.objectContaining({ name: 'X-Offshoot-Runtime-Path' }),
      );
    }
    expect(shapes.size).toBe(1);
  }));
