/** Keys are any text, and stand in paths: what a URL takes for its own must arrive as it was meant, or be refused by name. */
import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { createClient } from '../../client/client.ts';
import { limits } from '../../contract/limits.ts';
import { operations, type OperationName } from '../../contract/operations.ts';
import { cli } from '../cli/cli-harness.ts';
import { withRealApi, type Api } from './real-api.ts';

const admin = { role: 'admin' } as const;
const longest = 'k'.repeat(limits.keyCharsMax);
const odd = [
  ...['a/b', '/', '//a//', 'a/../b', './a', '...', '.a', '100%', '%2e%2e', '%00', '%zz'],
  ...[
    'what?',
    '?a=b&c',
    '#part',
    'a b+c',
    'agent:x:main:sub/1',
    'ümlaut 漢字 🙂',
    '"<>\\^`{|}',
    longest,
  ],
];

/** The status of a path as it stands, which `fetch` would put in order first. */
const rawStatus = (api: Api, path: string) =>
  new Promise<[number, string]>((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const headers = { authorization: `Bearer ${api.token(admin)}` };
    request({ hostname, port, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve([response.statusCode!, text]));
    })
      .on('error', reject)
      .end();
  });

test('each key arrives as it is by HTTP, by the client and by the command line', () =>
  withRealApi(async (api) => {
    const token = api.token(admin);
    const env = { OFFSHOOT_TOKEN: token };
    for (const key of odd) {
      const hook = { harness: 'x', sessionKey: key, userMessage: `said in ${key.slice(0, 20)}` };
      await api.ask('hookUserPromptSubmit', hook);
      const path = `/api/sessions/${encodeURIComponent(key)}`;
      for (const end of ['', '/tree', '/transcript', '/export', '/context', '/callbacks']) {
        const { status, text } = await api.http(token, 'GET', path + end);
        expect([key, end, status]).toEqual([key, end, 200]);
        if (end === '') expect(JSON.parse(text)).toMatchObject({ key });
      }
      for (const args of [
        ['tree', key],
        ['export', key],
        ['context', key],
      ]) {
        const run = await cli([...args, '--json'].slice(0, args[0] === 'export' ? 2 : 3), {
          url: api.url,
          env,
        });
        expect([args, run.exitCode, run.err]).toEqual([args, 0, '']);
        expect(run.out).toContain(JSON.stringify(key).slice(1, -1));
      }
      const agent = { id: key, name: 'Odd' };
      await api.ask('putAgent', agent);
      const { text } = await api.http(token, 'GET', `/api/agents/${encodeURIComponent(key)}`);
      expect(JSON.parse(text)).toMatchObject(agent);
    }
  }));

const refused: [what: string, key: string, words: string][] = [
  ...['.', '..', ' .. ', 'session:.', 'session:..'].map((key): (typeof refused)[number] => [
    'dots alone',
    key,
    'must not be . or ..',
  ]),
  ['a line feed', 'a\nb', 'must not hold control characters'],
  ['a character too many', `${longest}k`, ''],
  ['nothing', '  ', ''],
];

/** Every field of every operation that holds a session's key or an agent's. */
const fields: [OperationName, string][] = (Object.keys(operations) as OperationName[]).flatMap(
  (name) => {
    const { input } = operations[name];
    const named = [
      ...['key', 'sessionKey', 'sessionId', 'parentSessionKey', 'childSessionKey', 'agentId'],
      ...[
        'parentSessionId',
        'rootSessionId',
        'currentSessionKey',
        'rootSessionKey',
        'harnessAgentId',
      ],
      ...['parentHarnessAgentId'],
      ...(name.endsWith('Agent') ? ['id'] : []),
    ];
    const isTaken = (field: string) =>
      input.safeParse({ [field]: 5 }).error?.issues.some(({ path }) => path[0] === field);
    return named.filter(isTaken).map((field): [OperationName, string] => [name, field]);
  },
);

test.each(refused)('%s is no key, whichever field holds it: %j', (_, key, words) => {
  expect(fields.length).toBeGreaterThan(60);
  for (const [name, field] of fields) {
    const issues = operations[name].input.safeParse({ [field]: key }).error?.issues ?? [];
    const said = issues.filter(({ path }) => path[0] === field).map(({ message }) => message);
    // A blank one is none, where there may be none.
    if (key.trim() === '' && name.startsWith('hook')) continue;
    // Only a session's key may have this before it.
    if (key.startsWith('session:') && !/key$|^sessionId$|SessionId$/i.test(field)) continue;
    expect([name, field, said.join()]).toEqual([name, field, expect.stringMatching(/./)]);
    expect(said.join()).toContain(words);
  }
});

test.each(['.', '..'])('a path with %s for a key is refused, or none of ours', (key) =>
  withRealApi(async (api) => {
    for (const written of [key, encodeURIComponent(key).replaceAll('.', '%2E')]) {
      const [status, text] = await rawStatus(api, `/api/sessions/${written}/tree`);
      expect([400, 404]).toContain(status);
      if (status === 400) expect(text).toContain('key: must not be . or ..');
    }
    const client = createClient({ url: api.url, token: api.token(admin) });
    await expect(client.call('getTree', { key })).rejects.toMatchObject({
      code: 'bad_request',
      message: 'key: must not be . or ..',
    });
    await expect(client.call('getSubagent', { id: key })).rejects.toThrow(
      'id: must not be . or ..',
    );
    const env = { OFFSHOOT_TOKEN: api.token(admin) };
    for (const args of [
      ['tree', key],
      ['export', key],
      ['context', key],
      ['sessions', '--agent', key],
    ]) {
      const { exitCode, err } = await cli(args, { url: api.url, env });
      expect([args, exitCode]).toEqual([args, 2]);
      expect(err).toContain('must not be . or ..');
    }
  }),
);
