/** A runner host over HTTP that ends whatever it finds at once, without a process: for tests of the API alone. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OffshootClient } from '../../client/index.ts';
import { homePaths } from '../../contract/home.ts';
import { localHostId } from '../../contract/names.ts';
import { signToken } from '../../domain/token.ts';
import { createStoreApi } from '../../worker/host/store-api.ts';
import { succeeded } from '../operations/test-host.ts';
import type { LoneServer } from './lone-server.ts';

const LOOK_MS = 20;

export async function withInstantHost(
  { home, url, client }: LoneServer,
  use: () => Promise<void>,
): Promise<void> {
  const secret = readFileSync(homePaths(home).secret, 'utf8').trim();
  const token = signToken(secret, { role: 'host', hostId: localHostId });
  const api = createStoreApi(() => ({ url, token }));
  const self = { hostId: localHostId, bootId: 'boot-1' };
  await api.hello({ ...self, slots: 16, hostname: 'test', pid: process.pid });
  let isOver = false;

  async function work(): Promise<void> {
    while (!isOver) {
      await api.sync(
        { ...self, runs: [], heard: [], draining: false, waitSeconds: 0 },
        new AbortController().signal,
      );
      for (const id of await open(client)) {
        const answer = await api.claim({ ...self, invocationId: id });
        if (answer.kind !== 'run') continue;
        const { runNo } = answer.run;
        const reports = [{ type: 'outcome' as const, n: 1, outcome: succeeded('done') }];
        await api.report({ ...self, invocationId: id, runNo, reports });
      }
      await sleep(LOOK_MS);
    }
  }

  const working = work();
  try {
    await use();
  } finally {
    isOver = true;
    await working;
  }
}

async function open(client: OffshootClient): Promise<string[]> {
  const lists = await Promise.all(
    (['pending', 'waiting'] as const).map((status) =>
      client.call('listSubagents', { status, limit: 100 }),
    ),
  );
  return lists.flatMap(({ items }) => items.map(({ id }) => id));
}
