/** A runner host over HTTP that ends whatever it finds at once, without a process: for tests of the API alone. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../contract/home.ts';
import { localHostId } from '../../contract/names.ts';
import { signToken } from '../../domain/token.ts';
import { createStoreApi } from '../../worker/host/store-api.ts';
import { succeeded } from '../operations/test-host.ts';
import type { LoneServer } from './lone-server.ts';

/** The end of a test waits for it. */
const WAIT_SECONDS = 1;
/** What cannot be claimed yet is told again and again. */
const PAUSE_MS = 20;

export async function withInstantHost(
  { home, url }: LoneServer,
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
      // Answered as soon as there is something to begin, as a host of ours hears of it.
      const { start } = await api.sync(
        { ...self, runs: [], heard: [], draining: false, waitSeconds: WAIT_SECONDS },
        new AbortController().signal,
      );
      for (const { invocationId } of start) {
        const answer = await api.claim({ ...self, invocationId });
        if (answer.kind !== 'run') continue;
        const { runNo } = answer.run;
        const reports = [{ type: 'outcome' as const, n: 1, outcome: succeeded('done') }];
        await api.report({ ...self, invocationId, runNo, reports });
      }
      await sleep(PAUSE_MS);
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
