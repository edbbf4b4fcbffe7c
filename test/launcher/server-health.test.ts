import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { settledHealth } from '../../launcher/server-health.ts';
import { withFolder } from '../support/folder.ts';

const at = '2026-01-01T00:00:00.000Z';
const answer = (status: 'ready' | 'degraded') => ({
  ...{ status, version: '0', homeId: 'h', pid: 1, startedAt: at, hosts: [], invocations: {} },
  engine: {
    ...{ connected: true, address: null, namespace: 'default' },
    ...{ uiUrl: null, serverVersion: null, problem: null },
  },
  outbox: { rows: 0, oldestSeconds: null },
});

async function serve(home: string, status: 'ready' | 'degraded'): Promise<Server> {
  const server = createServer((_, response) => response.end(JSON.stringify(answer(status))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const temporal = { address: null, namespace: 'default', uiUrl: null };
  const { serverFile, token } = homePaths(home);
  writeFileSync(token, 'secret\n');
  writeFileSync(serverFile, JSON.stringify({ url, pid: 1, tokenFile: token, temporal }));
  return server;
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

test('a server that ends while it is waited for, and is started again, is whole in the end', () =>
  withFolder(async (home) => {
    const first = await serve(home, 'degraded');
    const health = settledHealth(home, new AbortController().signal);
    await sleep(150);
    await end(first);
    await sleep(300);
    const second = await serve(home, 'ready');
    expect(await health).toMatchObject({ status: 'ready' });
    await end(second);
  }));

test('nobody waits for a server whose stack is over', () =>
  withFolder(async (home) => {
    const first = await serve(home, 'degraded');
    const over = new AbortController();
    const health = settledHealth(home, over.signal);
    await sleep(100);
    await end(first);
    over.abort();
    expect(await health).toBeNull();
  }));
