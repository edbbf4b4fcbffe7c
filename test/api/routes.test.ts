import { describe, expect, test } from '@jest/globals';
import { inputSchema } from '../../api/json-schema.ts';
import { limits } from '../../contract/limits.ts';
import { operations, type OperationName } from '../../contract/operations.ts';
import { fakeApi, record, requestOf, sampleInput, tokens } from './api-fixture.ts';

const names = Object.keys(operations) as OperationName[];

describe('every declared operation has a route', () => {
  test.each(names)('%s reaches its handler with its parsed input', async (name) => {
    const api = fakeApi();
    const { method, path, body } = { body: undefined, ...requestOf(name, sampleInput[name]) };
    const response = await api.ask(method, path, { body });
    expect(response.status).toBe(200);
    expect(api.asked.map((one) => one.name)).toEqual([name]);
    const wanted = operations[name].input.parse(sampleInput[name]);
    expect(api.asked[0]?.input).toEqual(wanted);
  });
});

describe('input', () => {
  test.each([
    'ses:with:colons',
    'with/slash/and a space',
    'agent:main:subagent:1/2',
    'percent %2F and %zz 100%',
    'ümlaut und 漢字 🙂',
    '?query&and#hash+plus',
    '%',
    'wait',
  ])('a key in the path arrives as it was meant: %s', async (key) => {
    const api = fakeApi();
    const response = await api.ask('GET', `/api/sessions/${encodeURIComponent(key)}/tree`);
    expect(response.status).toBe(200);
    expect(api.asked[0]?.input).toEqual({ key });
  });

  test('the fixed path /wait is not taken for an id', async () => {
    const api = fakeApi({ run: () => ({ done: [], open: [], more: [] }) });
    const response = await api.ask('POST', '/api/subagents/wait', { body: { ids: ['sub_1'] } });
    expect(response.status).toBe(200);
    expect(api.asked[0]?.name).toBe('waitSubagents');
  });

  test('an empty body is an empty object', async () => {
    const api = fakeApi();
    expect((await api.ask('POST', '/api/subagents/sub_1/cancel')).status).toBe(200);
    expect(api.asked[0]?.input).toEqual({ id: 'sub_1' });
  });

  test.each([
    ['{"runnerId": "demo", "prompt":', 'not JSON'],
    ['[1, 2]', 'JSON object'],
    ['null', 'JSON object'],
    ['"text"', 'JSON object'],
    [{ prompt: 'x' }, 'runnerId: is missing: it must be text (which runner: see GET /api/runners)'],
    [{ runnerId: 'demo' }, 'prompt: is missing: it must be text (the task, '],
    [{ runnerId: 'demo', prompt: '  \n ' }, 'prompt: must not be empty or blank'],
    [{ runnerId: 7, prompt: 'x' }, 'runnerId: '],
    [{ runnerId: 'demo', prompt: null }, 'prompt: '],
    [{ runnerId: 'demo', prompt: 'x', waitSeconds: '5' }, 'waitSeconds: '],
    [{ runnerId: 'demo', prompt: 'x', colour: 'red' }, 'colour: is not a known key'],
    [{ runnerId: 'demo', prompt: 'x', context: { cwd: '/' } }, 'context.cwd: is not a known key'],
    [{ runnerId: 'demo', prompt: 'x', mode: 'FAST' }, 'one of SYNC, ASYNC_POLL, ASYNC_CALLBACK'],
    [{ runnerId: 'demo', prompt: 'x', mode: 'SYNC', executionMode: 'ASYNC_POLL' }, 'executionMode'],
  ])('%j is refused, and the field is named', async (body, words) => {
    const api = fakeApi();
    const response = await api.ask('POST', '/api/subagents', { body });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const problem = (await response.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({ code: 'bad_request', status: 400 });
    expect(problem['detail']).toContain(words);
    expect(api.asked).toEqual([]);
  });

  test.each([
    [{}, 'query: is missing'],
    [{ query: '  \n ' }, 'query: must not be empty or blank'],
    [{ query: 'x', limit: '7' }, 'limit: '],
    [{ query: 'x', limit: 2.5 }, 'limit: '],
    [{ query: 'x', groupBy: 'day' }, 'groupBy: '],
  ])(
    'the search for %j is refused, and the field is named [signet 41, 42]',
    async (body, words) => {
      const api = fakeApi();
      const response = await api.ask('POST', '/api/sessions/search', { body });
      expect(response.status).toBe(400);
      expect(((await response.json()) as { detail: string }).detail).toContain(words);
      expect(api.asked).toEqual([]);
    },
  );

  const keyFields = [
    ...['key', 'sessionKey', 'parentSessionKey', 'childSessionKey', 'currentSessionKey'],
    ...['parentSessionId', 'rootSessionId', 'rootSessionKey'],
  ];
  const withKeys = names.flatMap((name) => {
    const known = inputSchema(operations[name].input).properties;
    const fields = keyFields.filter((field) => Object.hasOwn(known, field));
    return fields.length === 0 ? [] : [[name, fields] as const];
  });
  test.each(withKeys)(
    '%s takes session keys with `session:` before them: %p',
    async (name, fields) => {
      const api = fakeApi();
      const withPrefix = (prefix: string) =>
        Object.fromEntries(fields.map((field) => [field, `${prefix}agent:a:${field}`]));
      const input = { ...sampleInput[name], ...withPrefix('session:') };
      const { method, path, body } = { body: undefined, ...requestOf(name, input) };
      const headers = { 'x-agent-session-id': 'session:who-asks' };
      expect((await api.ask(method, path, { body, headers })).status).toBe(200);
      expect(api.asked[0]?.input).toMatchObject(withPrefix(''));
      expect(api.asked[0]?.caller.parentSessionId).toBe('who-asks');
    },
  );
  test.each(['session:', 'session: ', ''])('a header that says %j names nobody', async (said) => {
    const api = fakeApi();
    await api.ask('GET', '/api/runners', { headers: { 'x-agent-session-id': said } });
    expect(api.asked[0]?.caller.parentSessionId).toBeNull();
  });
  test('every path of a session is among them', () => {
    const paths = names.filter((name) => operations[name].path.startsWith('/api/sessions/{key}'));
    expect(withKeys.map(([name]) => name)).toEqual(expect.arrayContaining(paths));
    expect(paths).not.toEqual([]);
  });

  test('a search takes snake_case names, and keys with `session:` before them', async () => {
    const api = fakeApi();
    const body = {
      query: 'x',
      session_key: 'session:a',
      current_session_key: 'session:b',
      root_session_key: 'c',
      agent_id: 'd',
      group_by: 'session',
    };
    await api.ask('POST', '/api/sessions/search', { body });
    const input = { query: 'x', sessionKey: 'a', currentSessionKey: 'b', rootSessionKey: 'c' };
    const rest = { agentId: 'd', groupBy: 'session', limit: 10 };
    expect(api.asked[0]?.input).toEqual({ ...input, ...rest });
  });

  test('a name in the query that is not known, or given twice, is refused', async () => {
    const api = fakeApi();
    const day = await api.ask('GET', '/api/subagents?since=2026-11-19');
    const { detail } = (await day.json()) as { detail: string };
    expect(detail).toBe('since: must be a time with its zone, such as 2026-03-08T10:00:00Z');
    const unknown = await api.ask('GET', '/api/subagents?colour=red');
    expect(await unknown.json()).toMatchObject({ status: 400, detail: expect.any(String) });
    expect((await api.ask('GET', '/api/subagents?status=running&status=failed')).status).toBe(400);
    expect((await api.ask('GET', '/api/subagents?limit=many')).status).toBe(400);
    expect(api.asked).toEqual([]);
  });

  test('a body that disagrees with the path is refused', async () => {
    const api = fakeApi();
    const path = '/api/subagents/sub_1/cancel';
    expect((await api.ask('POST', path, { body: { id: 'sub_2' } })).status).toBe(400);
    expect((await api.ask('POST', path, { body: { id: 'sub_1' } })).status).toBe(200);
  });

  test('a byte order mark before the body is no part of it', async () => {
    const api = fakeApi();
    const response = await api.app.request('/api/subagents', {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
      body: Buffer.from('\ufeff{"runnerId": "demo", "prompt": "\ufeffcaf\u00e9"}'),
    });
    expect(response.status).toBe(200);
    expect(api.asked.at(-1)).toMatchObject({ input: { prompt: '\ufeffcaf\u00e9' } });
  });

  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    const api = fakeApi();
    const text = '{"runnerId": "demo", "prompt": "caf\u00e9"}';
    const response = await api.app.request('/api/subagents', {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
      body: Buffer.from(text, 'latin1'),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('UTF-8') });
  });

  test.each([
    ['runnerId', { runnerId: 'a\ud800' }],
    ['prompt', { prompt: 'a\ud800' }],
    ['parentSessionId', { parentSessionId: '\ud800' }],
    ['agentId', { agentId: '\udc00\ud800' }],
    ['title', { title: '\ud800x' }],
    ['context.workspacePath', { context: { workspacePath: '/\ud800' } }],
    ['context.specId', { context: { specId: '\ud800' } }],
    ['context.files.0', { context: { files: ['\ud800'] } }],
    ['context.env.KEY', { context: { env: { KEY: 'secret\ud800' } } }],
  ])('half a character in %s is refused, naming the field', async (field, given) => {
    const api = fakeApi();
    const body = { runnerId: 'demo', prompt: 'go', ...given };
    const response = await api.ask('POST', '/api/subagents', { body });
    expect(response.status).toBe(400);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).toContain(`${field}: is not well-formed`);
    expect(detail).not.toContain('secret');
    const whole = { ...body, ...JSON.parse(JSON.stringify(given).replace(/(\\ud[8c]00)+/g, '👩‍👧')) };
    expect((await api.ask('POST', '/api/subagents', { body: whole })).status).toBe(200);
  });

  test('a body that breaks off because its sender went away is no failure of the server', async () => {
    const api = fakeApi();
    const broken = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('{"runnerId":')),
      pull: (stream) => stream.error(new Error('aborted')),
    });
    const response = await api.app.request('/api/subagents', {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
      body: broken,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'bad_request' });
    expect(api.logged).toEqual([]);
  });

  test('reading a body stops at the cap, also when no length was announced', async () => {
    const api = fakeApi();
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    const response = await api.app.request('/api/subagents', {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
      body: endless,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
    expect(sent).toBeLessThan(limits.bodyBytesMax + 4 * chunk.byteLength);
    const announced = await api.ask('POST', '/api/subagents', {
      body: '{}',
      headers: { 'content-length': String(limits.bodyBytesMax + 1) },
    });
    expect(announced.status).toBe(413);
  });

  test('the prompt has its own limit, counted in bytes', async () => {
    const api = fakeApi();
    const body = { runnerId: 'demo', prompt: 'é'.repeat(limits.promptBytesMax / 2 + 1) };
    const response = await api.ask('POST', '/api/subagents', { body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'prompt_too_large' });
    body.prompt = body.prompt.slice(1);
    expect((await api.ask('POST', '/api/subagents', { body })).status).toBe(200);
  });
});

describe('answers', () => {
  const body = { runnerId: 'demo', prompt: 'x' };

  test('a final record is 200', async () => {
    const response = await fakeApi().ask('POST', '/api/subagents', { body });
    expect(response.status).toBe(200);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.json()).toEqual(record());
  });

  test.each(['pending', 'running', 'waiting', 'input_required'] as const)(
    'a record that is %s is 202 with its address',
    async (status) => {
      const api = fakeApi({ run: () => record({ status }) });
      const run = await api.ask('POST', '/api/subagents', { body });
      expect([run.status, run.headers.get('location')]).toEqual([202, '/api/subagents/sub_1']);
      const send = await api.ask('POST', '/api/subagents/sub_1/send', { body: { prompt: 'x' } });
      expect([send.status, send.headers.get('location')]).toEqual([202, '/api/subagents/sub_1']);
      // Asking about it is answered: nothing was accepted.
      expect((await api.ask('GET', '/api/subagents/sub_1')).status).toBe(200);
    },
  );

  test('a failed sub-agent is data: 200', async () => {
    const api = fakeApi({ run: () => record({ status: 'failed', errorCode: 'exit_nonzero' }) });
    expect((await api.ask('POST', '/api/subagents', { body })).status).toBe(200);
  });

  test('an unknown path is a 404 problem, a wrong method a 405 with Allow', async () => {
    const api = fakeApi();
    const lost = await api.ask('GET', '/api/nothing');
    expect(lost.status).toBe(404);
    expect(await lost.json()).toMatchObject({ code: 'not_found', type: '/api/docs#not_found' });
    const wrong = await api.ask('PATCH', '/api/subagents/sub_1');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, GET']);
    const events = await api.ask('POST', '/api/subagents/sub_1/events');
    expect([events.status, events.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await api.ask('GET', '/api/subagents/wait')).status).toBe(405);
  });
});
