/** What `offshoot worker` says to whoever started it, and the codes with which it ends. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { storeApiPaths, type HelloAnswer } from '../../contract/store-api.ts';
import { signToken } from '../../domain/token.ts';
import { withFolder } from '../support/folder.ts';
import { startOffshoot, type Running } from './commands.ts';
import { until } from './stack.ts';

const token = signToken('secret', { role: 'host', hostId: 'box', tokenId: 't1' });
const startWorker = (home: string, url: string, args: string[] = []) =>
  startOffshoot(['worker', '--server', url, '--slots', '8', ...args], {
    env: { OFFSHOOT_HOME: home, OFFSHOOT_TOKEN: token },
  });

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stopOnceSaid(worker: Running, what: string) {
  await until(
    async () => worker.stderr(),
    (said) => said.includes(what),
    10,
  );
  worker.child.kill('SIGINT');
  return worker.ended;
}

test('it says when it is connected, and that it has stopped', () =>
  withFolder(async (home) => {
    const hello: HelloAnswer = {
      ...{ homeId: 'home', queue: null, ceiling: 8, leaseMinutes: 10, killGraceSeconds: 1 },
      ...{ workFolder: '/work', temporal: null },
    };
    const server = createServer((request, response) => {
      const isHello = request.url === storeApiPaths.hello;
      const body = JSON.stringify(isHello ? hello : { stop: [], start: [], temporal: null });
      setTimeout(() => response.end(body), isHello ? 0 : 300);
    });
    const url = await listen(server);
    try {
      const { code, stderr } = await stopOnceSaid(startWorker(home, url), 'connected');
      expect(stderr).toBe(`box: connected to ${url}, 8 slots. Ctrl-C stops it.\nstopped\n`);
      expect(code).toBe(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }));

test('it says that its server does not answer, where, and why', () =>
  withFolder(async (home) => {
    const server = createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await stopOnceSaid(startWorker(home, url), 'again\n');
    const away = `the server at ${url} does not answer (ECONNREFUSED); trying again`;
    expect(stderr).toBe(`${away}\nstopped\n`);
    expect(code).toBe(0);
  }));
