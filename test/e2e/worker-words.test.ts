/** What `offshoot worker` says to whoever started it, and the codes with which it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { storeApiPaths, type HelloAnswer } from '../../contract/store-api.ts';
import { signToken } from '../../domain/token.ts';
import { withFolder } from '../support/folder.ts';
import { entryFile } from '../../launcher/entry.ts';
import { cleanEnv, startOffshoot, type Running } from './commands.ts';
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

const stopped = 'stopped (Ctrl-C); no agent was running\n';

async function stopOnceSaid(worker: Running, what: string) {
  await until(
    async () => worker.stderr(),
    (said) => said.includes(what),
  );
  worker.child.kill('SIGINT');
  return worker.ended;
}

test('it says when it is connected, and why it has stopped', () =>
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
      expect(stderr).toBe(`box: connected to ${url}, 8 slots. Ctrl-C stops it.\n${stopped}`);
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
    expect(stderr).toBe(`${away}\n${stopped}`);
    expect(code).toBe(0);
  }));

test('what it cannot start with is told as any command tells it, with the code of that error', () =>
  withFolder(async (home) => {
    const other = startWorker(home, 'http://127.0.0.1:1', ['--name', 'other']);
    const said = 'offshoot: this token was made for box, not for other\n';
    expect(await other.ended).toEqual({ code: 5, stdout: '', stderr: said });
    const none = startWorker(home, 'http://127.0.0.1:1', ['--token-file', join(home, 'none')]);
    expect(await none.ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^offshoot: there is no token file .*none\n  .*worker token <name>\n$/,
      ),
    });
    writeFileSync(join(home, 'config.yaml'), 'limits: { slots: none }\n');
    const mistaken = await startWorker(home, 'http://127.0.0.1:1').ended;
    expect(mistaken).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^offshoot: .*\n  /s),
    });
  }));

test('the host beside the server has it in one line of its log', () =>
  withFolder(async (home) => {
    writeFileSync(join(home, 'config.yaml'), 'limits: { slots: none }\n');
    const child = spawn(process.execPath, [entryFile('worker')], {
      env: cleanEnv({ OFFSHOOT_HOME: home }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(2);
    const { msg } = JSON.parse(said) as { msg: string };
    expect(msg).toMatch(/^runner host failed: .*[^.]\. [A-Z`]/);
  }));
