import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { AppError } from '../../contract/errors.ts';
import { tellOfServer } from '../../worker/host/tell-of-server.ts';

const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
const connected = 'box: connected';

function told() {
  const lines: string[] = [];
  const server = tellOfServer({
    url: 'http://box:1',
    connected: () => connected,
    say: (line) => lines.push(line),
    unheardMs: 50,
  });
  return { server, lines };
}

test('a server that is a moment late is told as connected, once', async () => {
  const { server, lines } = told();
  server.asks();
  server.lasts(refused);
  server.over();
  server.over();
  await sleep(100);
  expect(lines).toEqual([connected]);
});

test('a server that stays away is told once, with address and reason, and so is its return', async () => {
  const { server, lines } = told();
  server.over();
  server.lasts(refused);
  await sleep(100);
  server.lasts(refused);
  await sleep(100);
  server.over();
  server.lasts(refused);
  server.over();
  const away = 'the server at http://box:1 does not answer (ECONNREFUSED); trying again';
  expect(lines).toEqual([connected, away, connected]);
});

test('a network that swallows the question is told as well; a refusal is not called silence', async () => {
  const { server, lines } = told();
  server.asks();
  await sleep(100);
  expect(lines).toEqual(['the server at http://box:1 does not answer; trying again']);
  server.over();
  server.lasts(new AppError('forbidden', 'its token was revoked'));
  await sleep(100);
  expect(lines[2]).toBe(
    'the server at http://box:1 does not take this host (its token was revoked); trying again',
  );
});
