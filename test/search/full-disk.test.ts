/** The index on a real disk of its own, which takes root: it may run out of room while the store does not. */
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { startSearch } from '../../search/start-search.ts';
import { insertSession } from '../../store/sessions.ts';
import { appendTurn, appendTurns } from '../../store/turns.ts';
import { openDisk, testOnDisks } from '../e2e/small-disk.ts';
import { withStore } from '../store/store-fixture.ts';

const onDisk = testOnDisks('the index on a full disk');

onDisk(
  'without room for the index turns are kept, searches are refused, and all is found when there is room',
  () =>
    withStore(async ({ store, file }) => {
      const disk = openDisk(16);
      const running = startSearch({
        ...{ store, database: file, index: join(disk.folder, 'search.db'), log: () => {} },
      });
      const find = (query: string) =>
        running.search({
          query,
          scope: { agentId: 'a', project: null, sessionIds: null, rootId: null, withoutId: null },
          limit: 1,
          bySession: false,
        });
      try {
        const fresh = { agentId: 'a', sessionKey: 's', kind: 'external', harness: null } as const;
        const { id } = await store.write((tx) =>
          insertSession(tx, { ...fresh, project: null, title: null }),
        );
        const say = (text: string) =>
          store.write((tx) => appendTurn(tx, { sessionId: id, role: 'user', text }));
        await say('before');
        expect(await find('before')).toHaveLength(1);
        disk.fill();
        const many = Array.from({ length: 3000 }, (_, n) => ({
          ...{ role: 'user' as const, text: `number${n} `.repeat(50) },
        }));
        await store.write((tx) => appendTurns(tx, id, many));
        await expect(find('number2999')).rejects.toMatchObject({ code: 'search_unavailable' });
        await say('meanwhile');
        disk.free();
        expect(await find('number2999')).toHaveLength(1);
        expect(await find('meanwhile')).toHaveLength(1);
        expect(await find('before')).toHaveLength(1);
      } finally {
        await running.stop();
        disk.remove();
      }
    }),
);
