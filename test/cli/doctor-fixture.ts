/** A server that says what a test wants of itself, for `doctor` to look at. */
import { chmodSync, writeFileSync } from 'node:fs';
import { homePaths, type HomePaths } from '../../contract/home.ts';
import type { Health, StoreCheck } from '../../contract/system-records.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { cli, now } from './cli-harness.ts';

export interface Found {
  level: string;
  name: string;
  what: string;
  why: string | null;
  remedy: string | null;
  canFix: boolean;
}

export const health: Health = {
  status: 'ready',
  version: '0.1.0',
  homeId: 'h',
  pid: 7,
  startedAt: '2026-01-01T00:00:00.000Z',
  engine: {
    connected: true,
    address: '127.0.0.1:7233',
    namespace: 'default',
    uiUrl: 'http://127.0.0.1:8233',
    serverVersion: '1.31.2',
    problem: null,
  },
  hosts: [
    {
      id: 'local',
      hostname: 'box',
      pid: 8,
      live: true,
      stopped: false,
      slots: 4,
      busy: 2,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
    },
  ],
  invocations: { running: 2 },
  outbox: { rows: 0, oldestSeconds: null },
};

export const sound: StoreCheck = {
  file: '/h/main.db',
  problems: [],
  schema: 12,
  knownSchema: 12,
  bytes: 1_200_000,
  walBytes: 0,
  outbox: { rows: 0, oldestAt: null },
  staleClaims: [],
  newestAt: null,
  now: new Date(now).toISOString(),
};

const answers = { health, check: sound };
/** A server that says this of itself, on a home that has the files of a real one. */
export async function withServer(
  given: Partial<typeof answers>,
  use: (run: (...args: string[]) => ReturnType<typeof cli>, paths: HomePaths) => Promise<void>,
): Promise<void> {
  const { health: told, check } = { ...answers, ...given };
  await withFolder(async (home) => {
    chmodSync(home, 0o700);
    const paths = homePaths(home);
    for (const file of [paths.token, paths.secret]) writeFileSync(file, 'x', { mode: 0o600 });
    await withFakeServer(
      ({ url }, response) => {
        if (url === '/api/health') answerJson(response, told);
        else answerJson(response, url === '/api/store/check' ? check : { runners: [] });
      },
      ({ url }) => use((...args) => cli(['doctor', ...args], { url, home }), paths),
    );
  });
}

export async function findings(run: ReturnType<typeof cli>): Promise<Found[]> {
  return (JSON.parse((await run).out) as { findings: Found[] }).findings;
}
export const named = (found: Found[], name: string) => found.filter((one) => one.name === name);
