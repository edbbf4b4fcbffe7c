import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startSearch, type RunningSearch } from '../../search/start-search.ts';
import { withStore } from '../store/store-fixture.ts';

const threadFile = fileURLToPath(new URL('./fixtures/dying-thread.mjs', import.meta.url));
const scope = { agentId: 'a', project: null, sessionIds: null, rootId: null, withoutId: null };
const request = { query: 'x', scope, limit: 1, bySession: false };

const withDying = (deaths: number, use: (running: RunningSearch) => Promise<void>) =>
  withStore(async ({ store, folder }) => {
    const index = join(folder, 'lives');
    const running = startSearch({ store, database: `${deaths}`, index, threadFile, log: () => {} });
    try {
      await use(running);
    } finally {
      await running.stop();
    }
  });

test('a thread that died comes back, and answers what the one before was asked', () =>
  withDying(1, async ({ search }) => {
    expect(await search(request)).toEqual([]);
    expect(await search(request)).toEqual([]);
  }));

test('a search that two threads have died of is refused, and the next one is answered', () =>
  withDying(2, async ({ search }) => {
    await expect(search(request)).rejects.toMatchObject({ code: 'search_unavailable' });
    expect(await search(request)).toEqual([]);
  }));

test('who still waits when the server stops is told so, and so is who comes later', () =>
  withDying(1000, async ({ search, stop }) => {
    const waiting = expect(search(request)).rejects.toMatchObject({ code: 'search_unavailable' });
    await stop();
    await waiting;
    await expect(search(request)).rejects.toMatchObject({ code: 'search_unavailable' });
  }));
