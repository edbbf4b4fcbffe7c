/** What comes over a real port that no request made in process can be: strange hosts, long heads. */
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { listen } from '../../api/listen.ts';
import { homePaths } from '../../contract/home.ts';
import { withFolder } from '../support/folder.ts';
import { fakeApi, tokens } from './api-fixture.ts';

type Api = ReturnType<typeof fakeApi>;

async function withPort(use: (port: number, api: Api) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const api = fakeApi();
    const listening = await listen(
      (request) => api.app.fetch(request),
      { port: 0, address: '127.0.0.1' },
      homePaths(folder),
    );
    try {
      await use(listening.port, api);
    } finally {
      await listening.close();
    }
  });
}

/** All that the server says until it hangs up. */
function say(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (heard += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
}

const get = (path: string, host: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n` +
  `Authorization: Bearer ${tokens.admin}\r\n\r\n`;

test.each([
  ['127.999.1.1', 421],
  ['127.0.0.256:80', 400],
  ['localhost:99999', 400],
  ['[::1]:70000', 400],
  ['a b', 400],
])('Host %s is no address, and is refused as a problem', (host, status) =>
  withPort(async (port, api) => {
    const answer = await say(port, get('/api/runners?x=1', host));
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(answer).toContain('content-type: application/problem+json');
    expect(answer).toContain(status === 421 ? '"bad_host"' : '"bad_request"');
    expect(api.logged).toEqual([]);
  }),
);

test('a head that is too long for the parser is refused as a problem', () =>
  withPort(async (port) => {
    const answer = await say(port, get(`/api/runners?x=${'a'.repeat(40_000)}`, 'localhost'));
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(answer).toContain('content-type: application/problem+json');
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
      status: 431,
      code: 'bad_request',
      hint: expect.stringContaining('body'),
    });
    expect(await say(port, 'no HTTP at all\r\n\r\n')).toMatch(/^HTTP\/1.1 400 [^]*"bad_request"/);
  }));
