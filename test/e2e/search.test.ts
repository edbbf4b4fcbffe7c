/** The search thread as it runs: beside a real server, over HTTP. */
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { homePaths } from '../../contract/home.ts';
import { startSearch } from '../../search/start-search.ts';
import { openStore } from '../../store/index.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';
import { withFolder } from '../support/folder.ts';
import { withLoneServer } from './lone-server.ts';

const whole = {
  agentId: 'default',
  project: null,
  sessionIds: null,
  rootId: null,
  withoutId: null,
};

/** A store with one session, and the thread that was built. */
function withThread(
  use: (room: {
    say(text: string): Promise<unknown>;
    find(query: string): Promise<string[]>;
    index: string;
    logged: string[];
    changes(): number;
    remove(): Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const { database, searchIndex } = homePaths(folder);
    const store = openStore(database, { checkpoints: false });
    const fresh = { agentId: 'default', sessionKey: 'one', kind: 'external' as const };
    const session = await store.write((tx) =>
      insertSession(tx, { ...fresh, harness: null, project: null, title: null }),
    );
    const logged: string[] = [];
    const log = (message: string) => void logged.push(message);
    const running = startSearch({ store, database, index: searchIndex, log });
    try {
      await use({
        say: (text) =>
          store.write((tx) => appendTurn(tx, { sessionId: session.id, role: 'user', text })),
        find: async (query) => {
          const request = { query, scope: whole, limit: 20, bySession: false };
          return (await running.search(request)).map(({ excerpt }) => excerpt);
        },
        index: searchIndex,
        logged,
        changes: () => store.db.get<{ n: number }>('SELECT count(*) AS n FROM search_changes')!.n,
        remove: () => store.write((tx) => tx.db.run('DELETE FROM turns')),
      });
    } finally {
      await running.stop();
      await store.close();
    }
  });
}

test(
  'a turn is found by the search that follows its acknowledgement, each of 1,000',
  () =>
    withThread(async ({ say, find, logged }) => {
      for (let n = 0; n < 1000; n += 1) {
        await say(`fact${n} about something`);
        expect(await find(`fact${n}`)).toEqual([`fact${n} about something`]);
      }
      expect(logged).toEqual([]);
    }),
  60_000,
);

test('what the index has followed is not kept in the store', () =>
  withThread(async ({ say, find, changes, remove }) => {
    await say('a needle');
    await say('another needle');
    await remove();
    expect(changes()).toBe(2);
    expect(await find('needle')).toEqual([]);
    while (changes() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await say('a third needle');
    expect(await find('needle')).toEqual(['a third needle']);
  }));

test('a server finds over HTTP what was said', async () => {
  const prepare = async (home: string) => {
    const store = openStore(homePaths(home).database, { checkpoints: false });
    await store.write((tx) => {
      const fresh = { agentId: 'default', kind: 'external' as const, harness: null };
      const more = { project: '/work', title: null };
      const row = insertSession(tx, { ...fresh, ...more, sessionKey: 'before' });
      appendTurn(tx, { sessionId: row.id, role: 'assistant', text: 'said before any server ran' });
    });
    await store.close();
  };
  await withLoneServer({ prepare }, async ({ client, home }) => {
    const answer = await client.call('searchSessions', { query: 'server ran' });
    expect(answer.hits).toMatchObject([{ sessionKey: 'before', turn: 1, role: 'assistant' }]);
    expect(existsSync(homePaths(home).searchIndex)).toBe(true);
    expect((await client.call('searchSessions', { query: 'nothing of it' })).count).toBe(0);
  });
});
