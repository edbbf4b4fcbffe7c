import { expect, test } from '@jest/globals';
import { fakeApi, tokenOf, tokens } from './api-fixture.ts';

const health = '/api/health';

test('without a good token nothing is answered, and the way to one is named', async () => {
  const api = fakeApi();
  const forged = `${tokens.child.split('.')[0]}.${tokens.admin.split('.')[1]}`;
  for (const token of [null, '', 'off_x', forged, `${tokens.admin}x`]) {
    const response = await api.ask('GET', health, { token });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthorized' });
  }
  expect((await api.ask('GET', '/api/nothing', { token: null })).status).toBe(401);
  expect((await api.ask('POST', '/store/claims', { token: null, body: {} })).status).toBe(401);
  expect(api.asked).toEqual([]);
});

test('each surface takes its own roles only', async () => {
  const api = fakeApi();
  expect((await api.ask('GET', health, { token: tokens.admin })).status).toBe(200);
  expect((await api.ask('GET', health, { token: tokens.child })).status).toBe(200);
  expect((await api.ask('GET', health, { token: tokens.host })).status).toBe(403);
  const body = { hostId: 'local', bootId: 'b', invocationId: 'sub_1' };
  for (const token of [tokens.admin, tokens.child]) {
    expect((await api.ask('POST', '/store/claims', { token, body })).status).toBe(403);
  }
  expect((await api.ask('POST', '/store/claims', { token: tokens.host, body })).status).toBe(200);
});

test("a runner host's token that was revoked opens nothing", async () => {
  const api = fakeApi();
  const token = tokenOf({ role: 'host', hostId: 'revoked', tokenId: 't' });
  const body = { hostId: 'revoked', bootId: 'b', invocationId: 'sub_1' };
  const response = await api.ask('POST', '/store/claims', { token, body });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('revoked') });
  expect(api.asked).toEqual([]);
});

test('the claims of the token reach the operation', async () => {
  const api = fakeApi();
  await api.ask('GET', health, { token: tokens.child });
  expect(api.asked[0]?.caller.claims).toEqual({
    role: 'child',
    invocationId: 'sub_parent',
    agentId: 'default',
  });
});

test.each([
  ['localhost', true],
  ['localhost:8464', true],
  ['LOCALHOST:1', true],
  ['127.0.0.1:8464', true],
  ['127.1.2.3', true],
  ['[::1]:8464', true],
  ['box.lan:8464', true],
  ['box.lan:9999', false],
  ['agents.example:443', true],
  ['agents.example', true],
  ['agents.example.evil:443', false],
  ['evil.example', false],
  ['evil.example:8464', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['evil.example@localhost', false],
  ['0.0.0.0:8464', false],
  ['127.999.1.1', false],
  ['127.0.0.256:8464', false],
  ['127.255.0.1:8464', true],
])('Host %s is let in: %s', async (host, isLetIn) => {
  const api = fakeApi({ allowedHosts: ['box.lan:8464', 'agents.example'] });
  for (const path of [health, '/api/docs', '/api/openapi.json']) {
    const response = await api.ask('GET', path, { headers: { host } });
    expect(response.status).toBe(isLetIn ? 200 : 421);
    if (!isLetIn) expect(await response.json()).toMatchObject({ code: 'bad_host' });
  }
});

test.each([
  ['http://localhost:8464', 200],
  ['http://evil.example', 403],
  ['http://localhost:9999', 403],
  ['http://localhost:8464.evil.example', 403],
  ['null', 403],
  ['', 403],
])('a page of origin %j gets %i', async (origin, status) => {
  const api = fakeApi();
  const headers = { host: 'localhost:8464', origin };
  expect((await api.ask('GET', health, { headers })).status).toBe(status);
  expect(api.asked.length).toBe(status === 200 ? 1 : 0);
});

test('the parent session is taken from the header, however it is written', async () => {
  const api = fakeApi();
  for (const name of ['X-Agent-Session-Id', 'x-agent-session-id', 'X-AGENT-SESSION-ID']) {
    await api.ask('GET', health, { headers: { [name]: 'my-session' } });
  }
  expect(api.asked.map((one) => one.caller.parentSessionId)).toEqual(Array(3).fill('my-session'));
});

test('two sessions that share the server are told apart, and no header means nobody', async () => {
  const api = fakeApi();
  const before = process.env['AGENT_SESSION_ID'];
  process.env['AGENT_SESSION_ID'] = 'session-of-the-server';
  try {
    const keys = ['a', null, 'b', 'a', null, 'b'];
    await Promise.all(
      keys.map((key) =>
        api.ask('POST', '/api/subagents', {
          body: { runnerId: 'demo', prompt: String(key) },
          headers: key === null ? {} : { 'X-Agent-Session-Id': key },
        }),
      ),
    );
    for (const one of api.asked) {
      expect(String(one.caller.parentSessionId)).toBe(one.input['prompt']);
    }
    expect(api.asked.length).toBe(6);
  } finally {
    if (before === undefined) delete process.env['AGENT_SESSION_ID'];
    else process.env['AGENT_SESSION_ID'] = before;
  }
});

test('an empty header is none; UTF-8 in a header is read as such; too long is refused', async () => {
  const api = fakeApi();
  await api.ask('GET', health, { headers: { 'x-agent-session-id': ' ' } });
  const bytes = Buffer.from('sitzung-ü-漢', 'utf8').toString('latin1');
  await api.ask('GET', health, { headers: { 'x-agent-session-id': bytes } });
  expect(api.asked.map((one) => one.caller.parentSessionId)).toEqual([null, 'sitzung-ü-漢']);
  const long = await api.ask('GET', health, { headers: { 'idempotency-key': 'k'.repeat(201) } });
  expect(long.status).toBe(400);
  expect(await long.json()).toMatchObject({ detail: expect.stringContaining('idempotency-key') });
});

test('the idempotency key and the caller going away reach the operation', async () => {
  const api = fakeApi();
  const gone = new AbortController();
  await api.app.request('/api/subagents', {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.admin}`, 'Idempotency-Key': 'key-1' },
    body: JSON.stringify({ runnerId: 'demo', prompt: 'x' }),
    signal: gone.signal,
  });
  const caller = api.asked[0]?.caller;
  expect(caller?.idempotencyKey).toBe('key-1');
  expect(caller?.gone.aborted).toBe(false);
  gone.abort();
  expect(caller?.gone.aborted).toBe(true);
});

test('a host token speaks for its own host only', async () => {
  const api = fakeApi();
  const token = tokenOf({ role: 'host', hostId: 'other' });
  const body = { hostId: 'local', bootId: 'b', invocationId: 'sub_1' };
  const response = await api.ask('POST', '/store/claims', { token, body });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 'forbidden' });
  expect(api.asked).toEqual([]);
});
